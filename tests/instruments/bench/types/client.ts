/**
 * Measures the cost of a typed client for the type checker, next to Hono's `hc` for the
 * same application. Rounds are interleaved, without caches. A registry on loopback serves
 * Bough, since Deno checks only the exported types of a published package.
 *
 *     deno run -A tests/instruments/bench/types/client.ts [--routes=1000] [--calls=200] [--rounds=3]
 */
import { dirname, join } from "@std/path";
import { main as bough } from "@bough/framework/cli";
import { CONFIG as PACKAGE, Published } from "../../../publish/published.ts";
import { median, option, table } from "../report.ts";
import {
  boughClient,
  boughServer,
  type Files,
  honoClient,
  honoServer,
} from "./applications.ts";

const { imports, compilerOptions, version } = PACKAGE;
const JSR = `jsr:@bough/framework@${version}`;
const CONFIG = JSON.stringify({
  imports: {
    "@bough/framework": JSR,
    "@bough/framework/client": `${JSR}/client`,
    hono: imports.hono,
    zod: imports.zod,
  },
  compilerOptions,
});
const routes = Number(option("routes") ?? 1000);
const calls = Number(option("calls") ?? 200);
const rounds = Number(option("rounds") ?? 3);
const KINDS = ["server", "client with server", "standalone", "hc"] as const;
const FILES: Readonly<Record<typeof KINDS[number], string>> = {
  server: "server.ts",
  "client with server": "client.ts",
  standalone: "standalone.ts",
  hc: "hc.ts",
};

/** A line that differs in each round, so that no cache applies. */
async function write(folder: string, files: Files): Promise<void> {
  const stamp = `// ${folder}\n`;
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, stamp + text);
  }
}

/** Writes all applications. `bough types` writes their types. */
async function writeAll(folder: string): Promise<void> {
  await Deno.writeTextFile(join(folder, "deno.json"), CONFIG);
  await write(folder, {
    ...boughServer(routes),
    "client.ts": boughClient("api.types.ts", { routes, calls }),
    "standalone.ts": boughClient("shop.types.ts", { routes, calls }),
    ...honoServer(routes),
    "hc.ts": honoClient({ routes, calls }),
  });
  const types = (...args: readonly string[]) =>
    bough(["types", join(folder, "api"), ...args]);
  await types("-o", join(folder, "api.types.ts"));
  await types("--standalone", "-o", join(folder, "shop.types.ts"));
}

/** The seconds of a type check. */
async function check(folder: string, file: string): Promise<number> {
  const before = performance.now();
  const { code, output } = await published.deno(folder, [
    "check",
    "--quiet",
    file,
  ]);
  if (code !== 0) throw new Error(output.slice(0, 4000));
  return (performance.now() - before) / 1000;
}

await using published = await Published.create();
const times = new Map(KINDS.map((kind) => [kind, [] as number[]]));
// The first round, which fills the cache of packages, does not count.
for (let round = 0; round <= rounds; round++) {
  const folder = await Deno.makeTempDir();
  try {
    await writeAll(folder);
    for (const kind of KINDS) {
      const seconds = await check(folder, FILES[kind]);
      if (round > 0) times.get(kind)!.push(seconds);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
const seconds = (kind: typeof KINDS[number]) => median(times.get(kind)!);
console.log(table(
  ["checked", "seconds", "of hc"],
  KINDS.map((kind) => [
    kind,
    seconds(kind).toFixed(1),
    (seconds(kind) / seconds("hc")).toFixed(2),
  ]),
));
