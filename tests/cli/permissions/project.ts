import { fromFileUrl, join } from "@std/path";
import config from "../../../deno.json" with { type: "json" };
import { templateFiles } from "../../../src/cli/generate/template.ts";
import { TestFolder } from "../../support/application.ts";
import { copyFolder } from "../support.ts";

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
  "tasks": {
    "test": "deno test --no-check -A main_test.ts",
    "prepare": "deno run -A prepare.ts",
    "both": { "command": "deno task test", "dependencies": ["prepare"] }
  },
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

/** The source of a test that requests each path once, and requires successes. */
export function testOf(...paths: readonly string[]): string {
  return `import { app } from "./main.ts";
Deno.test("each route responds", async () => {
  for (const path of ${JSON.stringify(paths)}) {
    const response = await app.fetch(new Request("http://localhost" + path));
    if (!response.ok) throw new Error(path + " " + await response.text());
    await response.body?.cancel();
  }
});
`;
}

/**
 * A copy of the fixture `service/`, with the tasks and the permission sets of a new
 * project. A new project finds the package in the registry; the copy uses this package.
 */
export async function createService(): Promise<TestFolder> {
  const { permissions, tasks } = JSON.parse(templateFiles()["deno.json"]!);
  const commands = JSON.stringify(tasks).replaceAll(
    "jsr:@bough/framework/cli",
    IMPORTS["@bough/framework/cli"]!,
  );
  const folder = await createProject({
    "deno.jsonc": JSON.stringify({
      imports: IMPORTS,
      tasks: JSON.parse(commands),
      permissions,
      vendor: true,
      nodeModulesDir: "none",
    }),
  });
  await copyFolder(
    fromFileUrl(new URL("service", import.meta.url)),
    folder.path,
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

/** A port that no server uses. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
