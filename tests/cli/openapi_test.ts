import { assertEquals } from "@std/assert";
import { call, copyOf, fixture } from "./support.ts";

const GET = "export const GET = () => new Response();";

Deno.test("bough openapi main.ts prints the document that the application serves", async () => {
  await using folder = await copyOf("invoices");
  const { code, stdout, stderr } = await call(folder, "openapi main.ts");
  assertEquals(code, 0, stderr);
  const { app } = await import(`file://${folder.path}/main.ts`);
  const served = await app.fetch(
    new Request("http://localhost/v1/admin/openapi.json"),
  );
  const document = JSON.parse(stdout);
  assertEquals(document, await served.json());
  assertEquals(document.info.title, "Invoices");
  assertEquals(Object.keys(document.paths), ["/v1/users/{id}"]);

  const options = "--title=Bills --version=3.1";
  const other = await call(folder, `openapi ./main.ts ${options}`);
  assertEquals(JSON.parse(other.stdout), {
    ...document,
    info: { ...document.info, title: "Bills", version: "3.1" },
  });
});

Deno.test("bough openapi prints the document of a folder, and warns of missing schemas", async () => {
  const files = {
    "api/a/route.ts": `import { z } from "npm:zod@^4.2.0";
      export const schema = { get: { query: z.date() } };
      ${GET}`,
  };
  const bare = await call(files, "openapi");
  assertEquals([bare.code, JSON.parse(bare.stdout).info], [
    0,
    { title: "API", version: "0.0.0" },
  ]);
  assertEquals(
    bare.stderr,
    'Warning: "api/a/route.ts": schema.get.query has no JSON Schema: JSON Schema cannot describe the type "date"',
  );
  const options = "--title Books --version=2.0 --prefix=v2";
  const { stdout } = await call(files, `openapi api ${options}`);
  const { info, paths } = JSON.parse(stdout);
  assertEquals(info, { title: "Books", version: "2.0" });
  assertEquals(Object.keys(paths), ["/v2/a"]);
});

Deno.test("bough openapi accepts a default export, and an application without the plugin", async () => {
  const { code, stdout } = await call({
    "main.js": `import { Framework } from "@bough/framework";
      export default new Framework({ apiDir: new URL("./api/", import.meta.url) });`,
    "api/route.ts": GET,
  }, "openapi main.js");
  assertEquals(code, 0);
  const { info, paths } = JSON.parse(stdout);
  assertEquals(info, { title: "API", version: "0.0.0" });
  assertEquals(Object.keys(paths), ["/api"]);
});

Deno.test("bough openapi --openapi-version sets the version of the document", async () => {
  const line = "openapi --openapi-version=3.2";
  const { code, stdout } = await call(fixture("live"), line);
  assertEquals([code, JSON.parse(stdout).openapi], [0, "3.2.0"]);
});
