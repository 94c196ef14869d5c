import { fromFileUrl } from "@std/path";

const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));

/** The folder of the bookshop, as a URL. */
export const BOOKSHOP = new URL("../../examples/bookshop/", import.meta.url);

/** The script of an example's page, bundled for a browser. */
export async function bundledPage(path = "client/page.ts"): Promise<string> {
  const page = new URL(`../../examples/${path}`, import.meta.url);
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform=browser", "--minify"].concat(
      ["--config", CONFIG, fromFileUrl(page)],
    ),
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(decoder.decode(stderr));
  return decoder.decode(stdout);
}
