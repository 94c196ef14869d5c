/** The operations that are open below a guard are listed, and are no findings. */
import { assert, assertEquals } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { boughIn } from "./support.ts";

const handlers = (...methods: readonly string[]) =>
  methods.map((method) => `export const ${method} = () => new Response();`)
    .join(" ");

const FILES = {
  "api/(members)/middleware.ts":
    `export const contract = { security: [{ bearer: [] }] };
    export default (_, next) => next();`,
  "api/(members)/articles/route.ts": `
    export const schema = {
      get: { security: [] },
      put: { security: [{ bearer: [] }, {}] },
      delete: { security: [{ bearer: ["admin"] }] },
    };
    ${handlers("GET", "POST", "PUT", "DELETE")}`,
  "api/free/route.ts": `export const schema = { get: { security: [] } }; ${
    handlers("GET")
  }`,
};
const GUARD = '"api/(members)/middleware.ts"';
const OPEN = ["GET", "PUT"].map((method) =>
  `${method} /api/articles is open below the guard ${GUARD}`
);

Deno.test("bough check and bough routes list the operations that are open below a guard (behaviour 10.7)", async () => {
  await using folder = await TestFolder.create(FILES);
  const summary =
    'Checked 2 routes, 5 handlers, 1 middleware file in "api": nothing found';
  assertEquals(await boughIn(folder.path, "check"), {
    code: 0,
    stdout: [...OPEN, summary].join("\n"),
    stderr: "",
  });
  const json = await boughIn(folder.path, "check", "--json");
  assertEquals([json.code, json.stdout], [0, "[]"]);

  const { stdout } = await boughIn(folder.path, "routes");
  assertEquals(stdout.split("\n").slice(-2), OPEN);
  const routes = await boughIn(folder.path, "routes", "--json");
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

Deno.test("bough check lists them next to findings, too (behaviour 10.7)", async () => {
  await using folder = await TestFolder.create({
    ...FILES,
    "api/files/[...]/route.ts": handlers("GET"),
  });
  const { code, stdout } = await boughIn(folder.path, "check");
  const [warning, ...others] = stdout.split("\n");
  assertEquals([code, others], [1, OPEN]);
  assert(warning!.endsWith("(wildcard-base)"), warning);
});

/** What `check` says of the security of an application with these options. */
async function lateSecurity(options: string): Promise<[number, string]> {
  await using folder = await TestFolder.create({
    ...FILES,
    "main.ts": `
      import { Framework } from "@bough/framework";
      ${options.includes("manifest") ? 'import manifest from "./m.ts";' : ""}
      export const app = new Framework({ ${options} });`,
  });
  await boughIn(folder.path, "build", "--lazy", "-o", "m.ts");
  const { code, stdout } = await boughIn(folder.path, "check", "main.ts");
  return [code, stdout];
}

Deno.test("bough check says that lazy without a manifest keeps the security of folders (behaviour 10.6)", async () => {
  const message =
    'guards cannot know the security of GET, HEAD, PUT, DELETE before this lazy route is imported; write the manifest with "bough build --lazy" (lazy-security)';
  const [code, text] = await lateSecurity(`apiDir: "api", lazy: true`);
  assertEquals(code, 1);
  assertEquals(
    text.split("\n")[0],
    `warning "api/(members)/articles/route.ts": ${message}`,
  );
  const whole = await lateSecurity("manifest");
  assertEquals(whole[0], 0, whole[1]);
  const eager = await lateSecurity(`apiDir: "api"`);
  assertEquals(eager[0], 0, eager[1]);
});
