/**
 * Builds the site into `coverage/site/`, from the pages of the repository. With
 * `--serve`, serves it instead, and shows each change of a page at once. Other arguments
 * go to VitePress, such as `--base=/bough/` or `--port=3000`.
 */
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
Deno.exit(code);
