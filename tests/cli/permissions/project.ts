import { fromFileUrl, join } from "@std/path";
import config from "../../../deno.json" with { type: "json" };
import { TestFolder } from "../../support/application.ts";

const ROOT = new URL("../../../", import.meta.url);

/** The import map of a project, which uses this copy of the package. */
export const IMPORTS: Readonly<Record<string, string>> = {
  ...config.imports,
  ...Object.fromEntries(
    Object.entries(config.exports).map(([name, path]) => [
      join("@bough/framework", name),
      new URL(path, ROOT).href,
    ]),
  ),
};

/** A project whose configuration can have permission sets. */
export async function createProject(
  files: Readonly<Record<string, string>>,
): Promise<TestFolder> {
  const folder = await TestFolder.create({
    "deno.jsonc": `{
  // The framework.
  "imports": ${JSON.stringify(IMPORTS)},
  "vendor": true,
  "nodeModulesDir": "none"
}
`,
    "main.ts": `import { Framework } from "@bough/framework";
export const app = new Framework({ apiDir: "api" });
if (import.meta.main) await app.serve({ env: true });
`,
    ...files,
  });
  await Deno.symlink(
    fromFileUrl(new URL("vendor", ROOT)),
    join(folder.path, "vendor"),
  );
  return folder;
}

/** A permission set of a project. */
export async function setOf(
  { path }: TestFolder,
  name: string,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await Deno.readTextFile(join(path, "deno.jsonc"));
  return JSON.parse(text.replaceAll(/^ *\/\/.*$/gm, "")).permissions[name];
}
