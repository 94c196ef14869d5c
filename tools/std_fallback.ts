/**
 * Lets the project run where the npm registry can be reached and jsr.io cannot.
 *
 * Deno looks for `jsr:` packages in `vendor/` first. Where jsr.io cannot be
 * reached, this puts stand-ins there for the few `@std` packages that the project
 * uses: the modules of `tools/std/`, which give the functions of `npm:deno-std`
 * (the standard library, compiled to JavaScript) their documented types. Where it
 * can be reached, Deno fills the same folder by itself, and this does nothing.
 *
 * The tool imports nothing, since nothing can be resolved before it has run.
 */

const ROOT = new URL("../", import.meta.url);
const SOURCE = new URL("./std/", import.meta.url);
const TARGET = new URL("vendor/jsr.io/@std/", ROOT);
/** Exists only next to stand-ins, not next to files that Deno itself put into `vendor/`. */
const MARK = new URL("stand-ins", TARGET);
const PROBE_TIMEOUT = 3_000;

interface Config {
  readonly imports: Readonly<Record<string, string>>;
}

async function main(): Promise<void> {
  if (Deno.env.has("JSR_URL")) return say("JSR_URL is set; nothing to do");
  const wanted = await standIns();
  const mark = [...wanted.keys(), ...wanted.values()].join("\n");
  if (await readText(MARK) === mark) return;
  // Stand-ins of an earlier run would hide the real packages, or be out of date.
  if (await readText(MARK) !== undefined) {
    await Deno.remove(TARGET, { recursive: true });
  }
  if (await isJsrReachable()) return;
  for (const [path, content] of wanted) {
    const url = new URL(path, TARGET);
    await Deno.mkdir(new URL("./", url), { recursive: true });
    await Deno.writeTextFile(url, content);
  }
  await Deno.writeTextFile(MARK, mark);
  say("jsr.io cannot be reached; jsr:@std comes from npm:deno-std instead");
}

/** The files to write below `vendor/jsr.io/@std/`, by path. */
async function standIns(): Promise<Map<string, string>> {
  const config: Config = JSON.parse(
    await Deno.readTextFile(new URL("deno.json", ROOT)),
  );
  const files = new Map<string, string>();
  for (const [specifier, target] of Object.entries(config.imports)) {
    const version = /^jsr:@std\/[a-z-]+@\^(\d+\.\d+\.\d+)$/.exec(target)?.[1];
    if (version === undefined) continue;
    const name = specifier.slice("@std/".length);
    const folder = new URL(`${name}/`, SOURCE);
    const exports: Record<string, string> = {};
    for await (const file of filesBelow(folder)) {
      exports[exportName(file)] = `./${file}`;
      const content = await Deno.readTextFile(new URL(file, folder));
      files.set(`${name}/${version}/${file}`, content);
    }
    files.set(
      `${name}/meta.json`,
      JSON.stringify({
        scope: "std",
        name,
        latest: version,
        versions: { [version]: {} },
      }),
    );
    files.set(
      `${name}/${version}_meta.json`,
      JSON.stringify({ manifest: {}, exports }),
    );
  }
  return files;
}

/** The paths of the files below a folder: `resolve.ts`, `posix/resolve.ts`. */
async function* filesBelow(folder: URL, above = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (!isDirectory) yield above + name;
    else yield* filesBelow(new URL(`${name}/`, folder), `${above}${name}/`);
  }
}

/** `mod.ts` is the package itself, `file_server.ts` its `./file-server`. */
function exportName(file: string): string {
  const name = file.slice(0, -".ts".length).replaceAll("_", "-");
  return name === "mod" ? "." : `./${name}`;
}

async function isJsrReachable(): Promise<boolean> {
  try {
    const response = await fetch("https://jsr.io/@std/path/meta.json", {
      signal: AbortSignal.timeout(PROBE_TIMEOUT),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

async function readText(url: URL): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(url);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function say(message: string): void {
  console.error(`std_fallback: ${message}`);
}

await main();
