/** The commands work in a project whose routes import shared code by an import map. */
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { COMMAND, type CommandOutcome } from "./support.ts";
import { createProject, IMPORTS } from "./permissions/project.ts";

const ROUTE = "api/(staff)/orders/[orderId]/status/route.ts";
const FILES = {
  "deno.jsonc": JSON.stringify({
    imports: { ...IMPORTS, "@/": "./" },
    vendor: true,
    nodeModulesDir: "none",
  }),
  "api/(staff)/middleware.ts": `import { guard } from "@/auth/guard.ts";
    export default guard;`,
  [ROUTE]: `import { Status } from "@/orders/schemas.ts";
    import { type FrameworkRequest, respond } from "@bough/framework";
    export const schema = { get: { response: { 200: Status } } };
    export const GET = (_: FrameworkRequest<typeof schema.get>) =>
      respond(schema.get, 200, { status: "sent" });`,
  "auth/guard.ts": `import type { Middleware } from "@bough/framework";
    export const guard: Middleware = (_, next) => next();`,
  "orders/schemas.ts": `import { z } from "zod";
    export const Status = z.object({ status: z.enum(["placed", "sent"]) });`,
  "with_manifest.ts": `import { Framework } from "@bough/framework";
    import manifest from "@/api.manifest.ts";
    const app = new Framework({ manifest });
    const request = new Request("http://localhost/api/orders/1/status");
    console.log(await (await app.fetch(request)).text());`,
};

/** Runs Deno in a folder, by the configuration that is in it. */
async function deno(
  folder: string,
  ...args: readonly string[]
): Promise<CommandOutcome> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: folder,
    env: { NO_COLOR: "1" },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

function bough(
  { path }: TestFolder,
  line: string,
  ...last: readonly string[]
): Promise<CommandOutcome> {
  const config = `--config=${join(path, "deno.jsonc")}`;
  const args = [COMMAND, ...line.split(" "), ...last];
  return deno(path, "run", "-A", "--no-check", config, ...args);
}

Deno.test("bough check resolves the names of the import map, and finds unknown ones", async () => {
  await using project = await createProject(FILES);
  const { code, stdout, stderr } = await bough(project, "check");
  assertEquals(code, 0, stdout + stderr);
  await project.write("orders/schemas.ts", `export * from "#nowhere";`);
  const missing = await bough(project, "check");
  assertEquals(missing.code, 1);
  assertStringIncludes(missing.stdout + missing.stderr, ROUTE);
  assertStringIncludes(missing.stdout + missing.stderr, "#nowhere");
});

Deno.test("a manifest has no names of the import map, and a bundle of it needs none", async () => {
  await using project = await createProject(FILES);
  const file = "api.manifest.ts";
  assertEquals((await bough(project, `build api -o ${file}`)).code, 0);
  const manifest = await Deno.readTextFile(join(project.path, file));
  assertStringIncludes(manifest, `from "./${ROUTE}"`);
  assert(!manifest.includes(`"@/`));
  const run = await deno(project.path, "run", "-A", "with_manifest.ts");
  assertEquals(run.stdout, '{"status":"sent"}', run.stderr);
  await using elsewhere = await TestFolder.create({});
  const bundle = join(elsewhere.path, "app.js");
  await deno(project.path, "bundle", "with_manifest.ts", "-o", bundle);
  const bundled = await deno(elsewhere.path, "run", "-A", bundle);
  assertEquals(bundled.stdout, '{"status":"sent"}', bundled.stderr);
});

Deno.test("bough permissions lists the files that the import map names", async () => {
  await using project = await createProject(FILES);
  const code = `const { app } = await import("./main.ts"); await app.routes();`;
  const { stdout } = await bough(project, "permissions -- deno eval", code);
  assertMatch(
    stdout,
    /--allow-read=\S*\.\/auth\/guard\.ts,\.\/orders\/schemas\.ts/,
  );
});
