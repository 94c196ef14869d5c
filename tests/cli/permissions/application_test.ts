/** The permissions that a file declares, and that its folders declare for it. */
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Framework } from "@bough/framework";
import { applicationOf } from "../../../src/cli/permissions/application.ts";
import { TestFolder } from "../../support/application.ts";

function declaring(name: string): string {
  return `export const permissions = { env: ["${name}"] };`;
}

const RUNS = "export default (_, next) => next();";
const GET = "export const GET = () => new Response();";

/** The variables that are declared for each file. */
async function variablesOf(
  folder: TestFolder,
): Promise<Record<string, unknown[]>> {
  const app = new Framework({
    apiDir: join(folder.path, "api"),
    permissions: { env: ["OPTION"] },
  });
  const { files } = await applicationOf(await app.inspect(), {
    entries: [],
    tests: [],
    config: undefined,
  });
  return Object.fromEntries(
    files.map(({ path, declared }) => [
      path.slice(path.indexOf("api/")),
      declared.map(({ value }) => value),
    ]),
  );
}

Deno.test("a file has its own declarations, and those of the option and of its folders", async () => {
  await using folder = await TestFolder.create({
    "api/middleware.js": declaring("TOP") + RUNS,
    "api/a/middleware.js": declaring("A"),
    "api/a/b/middleware.js": declaring("B") + RUNS,
    "api/a/b/route.js": declaring("OWN") + GET,
    "api/a/b/c/route.js": GET,
    "api/own/middleware.js": declaring("AROUND") + RUNS,
    "api/own/route.js": declaring("OWN") + GET,
  });
  assertEquals(await variablesOf(folder), {
    "api/middleware.js": ["OPTION", "TOP"],
    "api/a/middleware.js": ["OPTION", "TOP", "A"],
    "api/a/b/middleware.js": ["OPTION", "TOP", "A", "B"],
    "api/a/b/route.js": ["OPTION", "TOP", "A", "B", "OWN"],
    "api/a/b/c/route.js": ["OPTION", "TOP", "A", "B"],
    "api/own/middleware.js": ["OPTION", "TOP", "AROUND"],
    "api/own/route.js": ["OPTION", "TOP", "AROUND", "OWN"],
  });
});

Deno.test({
  name:
    "behind a link, a file has the declarations of all middleware that runs before it",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({
      "api/link/middleware.js": declaring("LINK") + RUNS,
      "api/staff/middleware.js": declaring("STAFF") + RUNS,
      "api/staff/inner/middleware.js": declaring("INNER") + RUNS,
      "api/staff/inner/route.js": GET,
    });
    await Deno.symlink(
      join(folder.path, "api/staff/inner"),
      join(folder.path, "api/link/inner"),
    );
    const variables = await variablesOf(folder);
    const all = ["OPTION", "LINK", "STAFF", "INNER"];
    assertEquals(variables["api/link/inner/middleware.js"], all);
    assertEquals(variables["api/link/inner/route.js"], all);
    assertEquals(variables["api/link/middleware.js"], ["OPTION", "LINK"]);
  },
});
