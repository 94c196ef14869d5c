/** Code that needs a permission, in each place of an application. */
import type { PermissionKind } from "../../../src/core/types/permissions.ts";

type Entries = readonly (readonly [kind: PermissionKind, value: string])[];

const LIBRARY = [
  "/lib/x86_64-linux-gnu/libc.so.6",
  "/lib/aarch64-linux-gnu/libc.so.6",
].find((path) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
})!;

/** Ignores that there is no network, but not that a permission is missing. */
const LENIENT = `const lenient = (error) => {
  if (error?.name === "NotCapable") throw error;
};
`;

/** Lines of code, each with the entries of a permission set that it needs. */
const HANDLERS = `
Deno.readTextFileSync("in/a.txt"); // read ./in/a.txt
[...Deno.readDirSync("listed")]; // read ./listed
Deno.writeTextFileSync("out/" + Date.now(), ""); // write ./out
Deno.removeSync(Deno.makeTempDirSync()); // write TMP
new (await import("node:sqlite")).DatabaseSync("db/x.db").close(); // read ./db, write ./db
await fetch("https://bank.invalid/").catch(lenient); // net bank.invalid:443
await Deno.connect({ port: 9, hostname: "127.0.1.1" }).catch(lenient); // net 127.0.1.1
await Deno.resolveDns("a.invalid", "A", { nameServer: { ipAddr: "127.0.1.2", port: 53 } }).catch(lenient); // net 127.0.1.2
await Deno.connect({ transport: "unix", path: "/none.sock" }).catch(lenient); // net unix:/none.sock, read /none.sock, write /none.sock
Deno.env.get("IN_HANDLER"); // env IN_HANDLER
Deno.loadavg(); // sys loadavg
new Deno.Command("true").outputSync(); // run true
Deno.dlopen("${LIBRARY}", {}).close(); // ffi ${LIBRARY}
await import("http://127.0.1.3:9/x.js").catch(lenient); // import 127.0.1.3:9
try { Deno.readTextFileSync("swallowed/a.txt"); } catch {} // read ./swallowed/a.txt
`;

const AT_START = `
Deno.env.get("AT_START"); // env AT_START
Deno.readTextFileSync("in/b.txt"); // read ./in/b.txt
Deno.mkdirSync("made", { recursive: true }); // write ./made
Deno.hostname(); // sys hostname
new Deno.Command("ls").outputSync(); // run ls
`;

const IN_PACKAGE = `
process.env.IN_PACKAGE; // env IN_PACKAGE
fs.readFileSync(new URL("./data/settings.json", import.meta.url)); // read ./node_modules/bank/data/settings.json
os.cpus(); // sys cpus
await new Promise((end) => net.connect(25, "mail.invalid").once("error", end)).then(lenient); // net mail.invalid:25
child.spawnSync("pwd", { env: {} }); // run pwd, env NODE_V8_COVERAGE
`;

/** The child itself runs under its own flags. */
const IN_CHILD = `
Deno.env.get("IN_CHILD"); // env IN_CHILD
Deno.readTextFileSync("child.txt"); // read ./child.txt
await fetch("http://child.invalid/").catch(() => {}); // net child.invalid:80
`;

function entriesOf(code: string, temporary: string): Entries {
  return code.replaceAll("write TMP", `write ${temporary}`)
    .matchAll(/ \/\/ (.*)$/gm)
    .flatMap(([, entries]) => entries!.split(", "))
    .map((entry) => entry.split(" ") as [PermissionKind, string]).toArray();
}

/** The files of an application with all needs, and the entries that it needs. */
export function application(
  temporary: string,
): { files: Readonly<Record<string, string>>; entries: Entries } {
  const routes = HANDLERS.trim().split("\n").map((code, index) => [
    `api/handler${index}/route.js`,
    `${LENIENT}export async function GET() { ${code}\nreturn new Response(); }`,
  ]);
  const empty =
    "in/a.txt in/b.txt listed/x out/x db/x child.txt swallowed/a.txt";
  return {
    files: {
      ...Object.fromEntries(routes),
      ...Object.fromEntries(empty.split(" ").map((path) => [path, ""])),
      "api/package/route.js":
        `import { run } from "../../node_modules/bank/index.mjs";
export async function GET() { await run(); return new Response(); }`,
      "node_modules/bank/package.json": `{"name":"bank","version":"1.0.0"}`,
      "node_modules/bank/data/settings.json": "{}",
      "node_modules/bank/index.mjs": `import child from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import process from "node:process";
${LENIENT}export async function run() { ${IN_PACKAGE} }`,
      "api/child/route.js": `export async function GET() {
  const args = ["run", "-A", "child.js"];
  const { success } = await new Deno.Command("deno", { args }).output();
  return new Response(null, { status: success ? 200 : 500 });
}`,
      "child.js": IN_CHILD,
      "main.ts": `import { Framework } from "@bough/framework";
export const app = new Framework({ apiDir: "api" });
if (import.meta.main) {
  ${AT_START}
  await app.serve({ env: true });
}`,
    },
    entries: [
      ...entriesOf(HANDLERS + AT_START + IN_PACKAGE + IN_CHILD, temporary),
      ["read", "./api"],
      ["read", "./node_modules/bank/index.mjs"],
      ["run", "deno"],
      // Deno grants this host by itself only if a set has no list of hosts.
      ["import", "jsr.io:443"],
      ...["0.0.0.0", "127.0.0.1"].map((host) => ["net", host] as const),
      ...["HOST", "PORT"].map((name) => ["env", name] as const),
    ] as Entries,
  };
}
