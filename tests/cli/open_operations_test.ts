/** Commands list the operations that are open below a guard, but not as findings. */
import { assert, assertEquals } from "@std/assert";
import { boughIn, copyOf, fixture } from "./support.ts";

const GUARD = '"api/(members)/middleware.ts"';
const OPEN = ["GET", "PUT"].map((method) =>
  `${method} /api/articles is open below the guard ${GUARD}`
);

Deno.test("bough check and bough routes list the operations that are open below a guard (behaviour 10.7)", async () => {
  const folder = fixture("open");
  const summary =
    'Checked 2 routes, 5 handlers, 1 middleware file in "api": nothing found';
  assertEquals(await boughIn(folder, "check"), {
    code: 0,
    stdout: [...OPEN, summary].join("\n"),
    stderr: "",
  });
  const json = await boughIn(folder, "check", "--json");
  assertEquals([json.code, json.stdout], [0, "[]"]);

  const { stdout } = await boughIn(folder, "routes");
  assertEquals(stdout.split("\n").slice(-2), OPEN);
  const routes = await boughIn(folder, "routes", "--json");
  const [articles] = JSON.parse(routes.stdout);
  const guards = Object.entries<{ openBelow?: string }>(articles.operations)
    .map(([method, { openBelow }]) => [method, openBelow]);
  assertEquals(guards, [
    ["get", "api/(members)/middleware.ts"],
    ["post", undefined],
    ["put", "api/(members)/middleware.ts"],
    ["delete", undefined],
  ]);
});

Deno.test("bough check lists open operations in addition to findings (behaviour 10.7)", async () => {
  await using folder = await copyOf("open", {
    "api/files/routes.ts": "export const GET = () => new Response();",
  });
  const { code, stdout } = await boughIn(folder.path, "check");
  const [warning, ...others] = stdout.split("\n");
  assertEquals([code, others], [1, OPEN]);
  assert(warning!.endsWith("(route-name)"), warning);
});

Deno.test("bough check lists the open operations of a lazy application (behaviour 10.6)", async () => {
  for (const options of ['apiDir: "api", lazy: true', "manifest"]) {
    await using folder = await copyOf("open", {
      "main.ts": `
        import { Framework } from "@bough/framework";
        ${options === "manifest" ? 'import manifest from "./m.ts";' : ""}
        export const app = new Framework({ ${options} });`,
    });
    await boughIn(folder.path, "build", "--lazy", "-o", "m.ts");
    const { code, stdout } = await boughIn(folder.path, "check", "main.ts");
    const lines = stdout.split("\n");
    assertEquals([code, lines.length], [0, OPEN.length + 1], stdout);
  }
});
