import { join } from "@std/path";
import { BODIES } from "./bodies.ts";
import type { AbuseCase } from "./case.ts";
import { CLIENTS } from "./clients.ts";
import { FILES } from "./files.ts";
import { HANDLERS } from "./handlers.ts";
import { HEADS } from "./heads.ts";
import { SPECIAL_NAMES } from "./names.ts";
import { SHUTDOWN } from "./shutdown.ts";
import { TARGETS } from "./targets.ts";

const CHAPTERS: Readonly<Record<string, readonly AbuseCase[]>> = {
  "Request lines and headers": HEADS,
  "Targets": TARGETS,
  "Bodies": BODIES,
  "Names": SPECIAL_NAMES,
  "Clients": CLIENTS,
  "Handlers": HANDLERS,
  "Files": FILES,
  "Shutdown": SHUTDOWN,
};
const COUNT = Object.values(CHAPTERS).flat().length;

const outcomes = new Map<AbuseCase, string>();

for (const cases of Object.values(CHAPTERS)) {
  for (const each of cases) {
    Deno.test({
      name: `abuse: ${each.abuse}: ${each.must}`,
      ignore: each.ignore ?? false,
      async fn() {
        outcomes.set(each, "failed");
        outcomes.set(each, await each.attempt());
      },
    });
  }
}

// A part of the cases, as `--filter` picks them, makes no table.
Deno.test.afterAll(async () => {
  if (outcomes.size === COUNT) {
    await Deno.writeTextFile(
      join(import.meta.dirname!, "outcomes.md"),
      report(),
    );
  }
});

function report(): string {
  const chapters = Object.entries(CHAPTERS).map(([title, cases]) => {
    const rows = cases.map((each) =>
      `| ${each.abuse} | ${each.must} | ${outcomes.get(each)} |`
    );
    return `## ${title}

| what is done | what must happen | what was seen |
| --- | --- | --- |
${rows.join("\n")}
`;
  });
  return `# Abuse and faults

Written by \`tests/abuse/abuse_test.ts\`, which \`deno task test\` runs: each line
is a test, and what was seen stands here as that run saw it.

${chapters.join("\n")}`;
}
