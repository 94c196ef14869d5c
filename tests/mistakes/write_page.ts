/**
 * Writes the table of `src/guide/mistakes.md` anew, from what is shown now:
 * `deno run -A tests/mistakes/write_page.ts`. Format the page afterwards.
 */
import { MISTAKES } from "./mistakes.ts";
import { PAGE, table } from "./page.ts";

const shown: string[] = [];
for (const { show } of MISTAKES) shown.push(await show());
const page = await Deno.readTextFile(PAGE);
await Deno.writeTextFile(PAGE, page.replace(/^\|[^]*\|$/m, () => table(shown)));
