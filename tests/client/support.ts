import { fromFileUrl } from "@std/path";
import type { TestFolder } from "../support/application.ts";

const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));

/** The folder of the bookshop, as a URL. */
export const BOOKSHOP = new URL("../../examples/bookshop/", import.meta.url);

/** What `deno check` says of files in a folder, by its configuration or Bough's. */
export async function checked(
  folder: TestFolder,
  ...files: readonly string[]
): Promise<string> {
  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", "--config", CONFIG, ...files],
    cwd: folder.path,
    env: { NO_COLOR: "1" },
  }).output();
  return new TextDecoder().decode(stderr);
}

/** The lines of wrong code that the compiler names, and the first line about each. */
export function refusals(
  output: string,
  wrong: readonly string[],
): (string | undefined)[][] {
  return output.split(/\n\n(?=TS\d+)/)
    .map((text) => text.split("\n"))
    .filter(([first]) =>
      first!.startsWith("TS") && !/^\S+ \[ERROR\]: {2}/.test(first!)
    )
    .map((lines) => {
      const code = lines.findIndex((line) => wrong.includes(line.trim()));
      return [lines[code]?.trim(), lines[0]!.replace(STATUSES, inOrder)];
    });
}

/** The compiler lists a union in the order in which it met its members anywhere. */
const STATUSES = /\d{3}(?: \| \d{3})+/;

function inOrder(statuses: string): string {
  return statuses.split(" | ").sort().join(" | ");
}

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
