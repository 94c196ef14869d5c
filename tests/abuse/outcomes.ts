import { assert } from "@std/assert";
import { BODIES } from "./bodies.ts";
import type { AbuseCase } from "./case.ts";
import { CLIENTS } from "./clients.ts";
import { FILES } from "./files.ts";
import { HANDLERS } from "./handlers.ts";
import { HEADS } from "./heads.ts";
import { SPECIAL_NAMES } from "./names.ts";
import { TARGETS } from "./targets.ts";

/** The page with the outcome of every case. */
export const OUTCOMES: URL = new URL("./outcomes.md", import.meta.url);

const CHAPTERS: Readonly<Record<string, readonly AbuseCase[]>> = {
  "Request lines and headers": HEADS,
  "Targets": TARGETS,
  "Bodies": BODIES,
  "Names": SPECIAL_NAMES,
  "Clients": CLIENTS,
  "Handlers": HANDLERS,
  "Files": FILES,
};

/** All cases, in the order of the page. */
export const CASES: readonly AbuseCase[] = Object.values(CHAPTERS).flat();

/** The row of a case with its outcome. */
export function outcomeRow({ abuse, must }: AbuseCase, seen: string): string {
  return `| ${abuse} | ${must} | ${seen} |`;
}

/**
 * Writes the page.
 *
 * @param seen Returns the seen outcome of a case.
 */
export function outcomesPage(seen: (each: AbuseCase) => string): string {
  const chapters = Object.entries(CHAPTERS).map(([title, cases]) => {
    const rows = cases.map((each) => outcomeRow(each, seen(each)));
    return `## ${title}

| what is done | what must happen | what was seen |
| --- | --- | --- |
${rows.join("\n")}
`;
  });
  return `# Abuse and faults

Written by \`deno task outcomes\`. Each line is a test of \`deno task test\`, which
fails if it sees another outcome.

${chapters.join("\n")}`;
}

/** Registers the test of a case, whose outcome must be the one of the page. */
export function testCase(each: AbuseCase): void {
  Deno.test(`abuse: ${each.abuse}: ${each.must}`, async () => {
    const row = outcomeRow(each, await each.attempt());
    const page = await Deno.readTextFile(OUTCOMES);
    assert(
      page.split("\n").includes(row),
      `outcomes.md does not have this row; if the row is right, run: deno task outcomes\n${row}`,
    );
  });
}
