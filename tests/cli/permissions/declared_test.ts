import { assertEquals, assertStringIncludes } from "@std/assert";
import { withoutUrls } from "../../../src/cli/check/declarations.ts";
import { TestFolder } from "../../support/application.ts";
import { call } from "../support.ts";

const GET = "export const GET = () => new Response();";

Deno.test("bough routes shows the declared permissions of a route", async () => {
  await using folder = await TestFolder.create({
    "api/middleware.js":
      `export const permissions = { env: ["LOG"] }; export default (_, next) => next();`,
    "api/pdf/route.js":
      `export const permissions = { net: ["a.example"], env: ["KEY"], read: [new URL("../my%20fonts", import.meta.url), "./data"] }; ${GET}`,
    "api/plain/route.js": GET,
  });
  const { stdout } = await call(folder, "routes");
  const lines = stdout.split("\n").map((line) => line.split(/ {2,}/).at(-1));
  const { path } = folder;
  assertEquals(lines, [
    "PERMISSIONS",
    `"--allow-read=./data,${path}/api/my fonts" --allow-net=a.example --allow-env=KEY,LOG`,
    "--allow-env=LOG",
  ]);
  const json = await call(folder, "routes --json");
  assertEquals(JSON.parse(json.stdout)[0].permissions, [
    { file: "api/middleware.js", permissions: { env: ["LOG"] } },
    {
      file: "api/pdf/route.js",
      permissions: {
        net: ["a.example"],
        env: ["KEY"],
        read: ["api/my fonts", "./data"],
      },
    },
  ]);
});

Deno.test("declarations keep values that are not paths, and invalid values", () => {
  const permissions = { net: ["file:8000"], read: ["file:///a%2Fb"] };
  assertEquals(withoutUrls(permissions), permissions);
});

Deno.test("bough build imports only files that may declare permissions, and rejects invalid ones", async () => {
  const built = await call({
    "api/plain/route.js": `throw new Error("it was imported");`,
    "api/all/route.js": `export * from "../../shared.js";`,
    "shared.js":
      `export const permissions = { read: [new URL("data", import.meta.url)] }; ${GET}`,
  }, "build --lazy");
  assertEquals([built.code, built.stderr], [0, ""]);
  assertStringIncludes(
    built.stdout,
    '  permissions: {\n    "all/route.js": {"read":["data"]},\n  },\n};',
  );
  const { code, stdout, stderr } = await call({
    "api/a/route.js": `export const permissions = { net: "a.example" }; ${GET}`,
    "api/b/route.js":
      `const permissions = 1; throw new Error("broken"); ${GET}`,
  }, "build");
  assertEquals([code, stdout], [1, ""]);
  assertEquals(stderr.split("\n"), [
    'Cannot serve "api/a/route.js": permissions.net must be a list, or true for all, got "a.example"; write ["a.example"]',
    'Cannot serve "api/b/route.js": the import failed: broken',
  ]);
});
