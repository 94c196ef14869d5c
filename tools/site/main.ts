/**
 * Builds the site into `coverage/site/`, from the pages of the repository, with files for
 * language models. With `--serve`, serves it instead, and shows each change of a page at
 * once. Other arguments go to VitePress, such as `--base=/bough/` or `--port=3000`.
 */
import { modelFiles } from "./models.ts";

const OUTPUT = new URL("../../coverage/site/", import.meta.url);

const args = Deno.args.filter((arg) => arg !== "--serve");
const command = args.length < Deno.args.length ? "dev" : "build";
const { code } = await new Deno.Command(Deno.execPath(), {
  args: [
    "run",
    "-A",
    "npm:vitepress@^1.6.4",
    command,
    import.meta.dirname!,
    ...args,
  ],
}).spawn().status;
if (code !== 0 || command === "dev") Deno.exit(code);
const base = args.find((arg) => arg.startsWith("--base="))?.slice(7) ?? "/";
for (const [name, text] of Object.entries(modelFiles(base))) {
  Deno.writeTextFileSync(new URL(name, OUTPUT), text);
}
