import { fromFileUrl } from "@std/path";
import config from "../../deno.json" with { type: "json" };
import { copyFolder } from "../../tests/cli/support.ts";
import { TestFolder } from "../../tests/support/application.ts";
import {
  DenoProcess,
  type ProcessOptions,
} from "../../tests/support/process.ts";

const ROOT = new URL("../../", import.meta.url);

/** Prints colors, as in a terminal. */
const BOUGH = `import { main } from "@bough/framework/cli";

Deno.stdout.isTerminal = () => true;
Deno.exit(await main(Deno.args));
`;

/**
 * Serves the shop with the inspector. Its clock depends on the requests alone, on a day
 * after that of the files, since the inspector shows only the source of older files.
 */
const SERVER = `const durations = [0.02, 0.04, 0.03, 0.21, 0.02, 0.86, 0.03];
let requests = 0;
let calls = 0;
let now = 0;
performance.now = () =>
  now += durations[calls++ % 7] * (1 + requests % 5 / 10);
Date.now = () => {
  calls = 0;
  return Date.UTC(2100, 0, 1, 9, 30, requests++ * 3);
};

// Imported after the clock is set.
const { inspector } = await import("@bough/framework/dev");
const { app } = await import("./main.ts");
await inspector(app);
await app.serve({ hostname: "127.0.0.1", env: true });
`;

/** The configuration of a folder outside the repository, for the package as it is here. */
function configuration(): string {
  const imports: Record<string, string> = { ...config.imports, "@/": "./" };
  for (const [name, path] of Object.entries(config.exports)) {
    imports[name.replace(".", config.name)] = new URL(path, ROOT).href;
  }
  const { vendor, lock } = config;
  return JSON.stringify({ imports, vendor, lock });
}

/** Copies the bookshop into a new folder, where it may get mistakes. */
export async function copyShop(): Promise<TestFolder> {
  const shop = await TestFolder.create({
    "bough.ts": BOUGH,
    "server.ts": SERVER,
  });
  const pathOf = (name: string) => fromFileUrl(new URL(name, ROOT));
  await copyFolder(pathOf("examples/bookshop"), shop.path);
  await shop.write("deno.json", configuration());
  await shop.link({
    node_modules: pathOf("node_modules"),
    vendor: pathOf("vendor"),
  });
  return shop;
}

/** Replaces a string of a file, which must contain it. */
export async function replaceIn(
  shop: TestFolder,
  name: string,
  [before, after]: readonly [before: string, after: string],
): Promise<void> {
  const text = await Deno.readTextFile(`${shop.path}/${name}`);
  if (!text.includes(before)) {
    throw new Error(`"${name}" of the bookshop does not contain "${before}"`);
  }
  await shop.write(name, text.replace(before, after));
}

/** Starts a program of the shop: `bough.ts`, or `server.ts` with a `PORT`. */
export function start(
  { path }: TestFolder,
  main: string,
  { args = [], env = {} }: ProcessOptions,
): DenoProcess {
  const options = { config: `${path}/deno.json`, args };
  const colored = { NO_COLOR: "", ...env };
  return new DenoProcess(path, ["-A"], main, { ...options, env: colored });
}
