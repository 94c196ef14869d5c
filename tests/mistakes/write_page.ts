/**
 * Writes the sections of `src/guide/error_messages.md` from the current messages:
 * `deno run -A tests/mistakes/write_page.ts`. Format the page afterwards.
 */
import { MISTAKES } from "./mistakes.ts";
import { PAGE, sections } from "./page.ts";

const messages: string[] = [];
for (const { show } of MISTAKES) messages.push(await show());
const page = await Deno.readTextFile(PAGE);
await Deno.writeTextFile(
  PAGE,
  page.replace(/^## [^]*/m, () => sections(messages)),
);
