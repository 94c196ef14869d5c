/** Checks that the promises of SECURITY.md name existing tests. */
import { assert, assertEquals } from "@std/assert";

const PAGE = new URL("../../.github/SECURITY.md", import.meta.url);

type Row = readonly [threat: string, holds: string, tests: string];

async function promises(): Promise<Row[]> {
  const page = await Deno.readTextFile(PAGE);
  const section = page.split(/^## /m)
    .find((text) => text.startsWith("What Bough promises\n"));
  const [head, _line, ...rows] = section!.match(/^\|.*\|$/gm)!
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  assertEquals(head, ["threat", "what holds", "tests"]);
  for (const row of rows) assertEquals(row.length, 3, row.join(" | "));
  return rows as unknown as Row[];
}

/** The faults of a link to a test. */
async function faultOf(name: string, link: string): Promise<string[]> {
  const url = new URL(link, PAGE);
  const text = await Deno.readTextFile(url).catch(() => undefined);
  if (text === undefined) return [`${link}: there is no such file`];
  return [
    !new RegExp(`/${name}(?:_test)?\\.ts$`).test(url.pathname) &&
    `it is not called "${name}"`,
    !/^ *Deno\.test\(/m.test(text) && "it holds no test",
  ].flatMap((fault) => fault === false ? [] : [`${link}: ${fault}`]);
}

Deno.test("every promise of SECURITY.md names existing tests", async () => {
  const rows = await promises();
  assert(rows.length >= 29, `only ${rows.length} promises`);
  const faults: string[] = [];
  for (const [threat, holds, tests] of rows) {
    assert(threat !== "" && holds !== "", `${threat}: ${holds}`);
    const links = [...tests.matchAll(/\[(\w+)\]\(([^)]+)\)/g)];
    if (links.length === 0) faults.push(`${threat}: it names no test`);
    for (const [, name, link] of links) {
      faults.push(...await faultOf(name!, link!));
    }
  }
  assertEquals(faults, []);
});

Deno.test("SECURITY.md names each threat once", async () => {
  const threats = (await promises()).map(([threat]) => threat);
  assertEquals(threats, [...new Set(threats)]);
});
