import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { COMMAND, processorTime } from "./support.ts";

const GET = `export const GET = () => new Response("x");`;

// Slow: it writes 4,000 files, and imports them three times, 6 CPU seconds.
Deno.test("routes and check of 4,000 routes take a small multiple of importing them", async () => {
  await using folder = await TestFolder.create({});
  const imports = [];
  for (let index = 0; index < 4_000; index++) {
    const path = `api/g${index % 97}/r${index}`;
    Deno.mkdirSync(join(folder.path, path), { recursive: true });
    Deno.writeTextFileSync(join(folder.path, path, "route.js"), GET);
    imports.push(`import "./${path}/route.js";`);
  }
  await folder.write("all.js", imports.join("\n"));
  const seconds = async (...args: string[]) => {
    const { seconds, outcome } = await processorTime(folder.path, ...args);
    assertEquals(outcome.code, 0, outcome.stderr);
    assert(seconds > 0);
    return seconds;
  };
  const importing = await seconds("all.js");
  for (const name of ["routes", "check"]) {
    const took = await seconds("-A", COMMAND, name);
    assert(took < 5 * importing, `${name}: ${took} s, importing: ${importing}`);
  }
});
