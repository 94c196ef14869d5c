import { assertEquals, assertStringIncludes } from "@std/assert";
import { TestFolder } from "../../support/application.ts";
import { boughIn } from "../support.ts";

const GET = "export const GET = () => new Response();";

Deno.test("bough routes shows the declared permissions of a route", async () => {
  await using folder = await TestFolder.create({
    "api/middleware.js":
      `export const permissions = { env: ["LOG"] }; export default (_, next) => next();`,
    "api/pdf/route.js":
      `export const permissions = { net: ["a.example"], env: ["KEY"], read: [new URL("../fonts", import.meta.url)] }; ${GET}`,
    "api/plain/route.js": GET,
  });
  const { stdout } = await boughIn(folder.path, "routes");
  const lines = stdout.split("\n").map((line) => line.split(/ {2,}/).at(-1));
  assertEquals(lines, [
    "PERMISSIONS",
    `--allow-read=${folder.path}/api/fonts --allow-net=a.example --allow-env=KEY,LOG`,
    "--allow-env=LOG",
  ]);
  const json = await boughIn(folder.path, "routes", "--json");
  assertEquals(JSON.parse(json.stdout)[0].permissions, [
    { file: "api/middleware.js", permissions: { env: ["LOG"] } },
    {
      file: "api/pdf/route.js",
      permissions: { net: ["a.example"], env: ["KEY"], read: ["api/fonts"] },
    },
  ]);
});

Deno.test("bough build imports only files that may declare permissions", async () => {
  await using folder = await TestFolder.create({
    "api/plain/route.js": `throw new Error("it was imported");`,
    "api/all/route.js": `export * from "../../shared.js";`,
    "shared.js":
      `export const permissions = { read: [new URL("data", import.meta.url)] }; ${GET}`,
  });
  const { code, stdout, stderr } = await boughIn(
    folder.path,
    "build",
    "--lazy",
  );
  assertEquals([code, stderr], [0, ""]);
  assertStringIncludes(
    stdout,
    '  permissions: {\n    "all/route.js": {"read":["data"]},\n  },\n};',
  );
});

Deno.test("bough build rejects invalid declarations", async () => {
  await using folder = await TestFolder.create({
    "api/a/route.js": `export const permissions = { net: "a.example" }; ${GET}`,
    "api/b/route.js":
      `const permissions = 1; throw new Error("broken"); ${GET}`,
  });
  const { code, stdout, stderr } = await boughIn(folder.path, "build");
  assertEquals([code, stdout], [1, ""]);
  assertEquals(stderr.split("\n"), [
    'Cannot serve "api/a/route.js": permissions.net must be a list, or true for all, got "a.example"; write ["a.example"]',
    'Cannot serve "api/b/route.js": the import failed: broken',
  ]);
});
