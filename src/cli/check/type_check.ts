import { dirname } from "@std/path/dirname";
import { fromFileUrl } from "@std/path/from-file-url";
import { resolve } from "@std/path/resolve";
import { toFileUrl } from "@std/path/to-file-url";
import { stripVTControlCharacters } from "node:util";
import { unescaped } from "../../common/log.ts";
import type { Inspection } from "../../start/inspect.ts";
import { UsageError } from "../command.ts";
import { fileInfo } from "../files.ts";
import type { Finding } from "./rules.ts";

/** Where the type checker says that an error is. */
const PLACE = /^\s+at (file:\S+?):(\d+):\d+$/m;
/** What it prints after the errors. */
const END = /\n\n(?:Found \d+ errors?\.|error: Type checking failed\.)[^]*$/;

/**
 * What handlers and middleware are, as far as it matters which values they return. With
 * a contract, a middleware file needs no default export.
 */
const TYPES = `
type Handle = (request: never) => Response | Promise<Response>;
type Handler<Type extends Handle> = Type;
type Run = (request: never, next: never) => Response | Promise<Response>;
type Middleware<Type extends Run | readonly Run[]> = Type;
type Default<Module> = Module extends { default: infer Type } ? Type : Run;
`;

/**
 * Runs the type checker on the files of an application, by the configuration of its
 * project, and returns what it refuses. It checks a module of types that names every
 * handler and middleware, so that one without annotations is held to its type, too.
 * That module imports types alone: nothing runs.
 *
 * @param module The module of the application, if the command was called with one.
 * @throws {UsageError} If the type checker cannot be run.
 */
export async function typeErrors(
  inspection: Inspection,
  module: string | undefined,
): Promise<Finding[]> {
  const { files, routes, middleware, source } = inspection;
  const methods = new Map(routes.map(({ file, methods }) => [file, methods]));
  const all = [
    ...(module === undefined ? [] : [{ path: module, uses: [] }]),
    ...files.map(({ file }) => ({
      path: file,
      uses: (methods.get(file) ?? []).map((name) => `Handler.${name}`),
    })),
    ...middleware.map((path) => ({ path, uses: ["Middleware.default"] })),
  ].filter(({ path }) => fileInfo(locationOf(path))?.isFile);
  if (all.length === 0) return [];

  const lines = TYPES.split("\n").slice(0, -1);
  const uses = new Map<number, { path: string; name: string }>();
  for (const [index, { path, uses: names }] of all.entries()) {
    const url = JSON.stringify(toFileUrl(locationOf(path)).href);
    lines.push(`import type * as file${index} from ${url};`);
    lines.push(`export type File${index} = typeof file${index};`);
    for (const use of names) {
      const [type, name] = use.split(".") as [string, string];
      const value = name === "default"
        ? `Default<typeof file${index}>`
        : `typeof file${index}.${name}`;
      lines.push(`export type ${name}${index} = ${type}<${value}>;`);
      uses.set(lines.length, { path, name });
    }
  }
  const folder = module === undefined ? source : dirname(module);
  const { success, stderr } = await runChecker(lines.join("\n"), folder);
  if (success) return [];
  const spelled = new Map(all.map(({ path }) => [locationOf(path), path]));
  const printed = new TextDecoder().decode(stderr);
  return stripVTControlCharacters(printed).trim().replace(END, "")
    .split(/\n\n(?=TS\d+ )/).map((text) => {
      const [, url, line] = PLACE.exec(text) ?? [];
      const use = uses.get(Number(line));
      const isOwn = url?.endsWith("$deno$stdin.mts") && use !== undefined;
      const path = url === undefined ? source : fromFileUrl(url);
      return {
        level: "error",
        rule: "types",
        path: isOwn ? use.path : spelled.get(path) ?? path,
        message: isOwn ? misfit(use.name, text) : text,
      };
    });
}

/** Says what an export returns in place of a response, from the checker's words. */
function misfit(name: string, text: string): string {
  const reasons = text.split("\n").slice(1).map((line) => line.trim())
    .filter((line) => line.startsWith("Type '"));
  return `export "${name}" must return a Response, or a promise of one. ${
    reasons.join(" ")
  }`.trimEnd();
}

async function runChecker(
  code: string,
  folder: string,
): Promise<Deno.CommandOutput> {
  const command = new Deno.Command("deno", {
    args: ["run", "--check", "--no-prompt", "--quiet", "-"],
    cwd: resolve(folder),
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  });
  try {
    const child = command.spawn();
    await new Blob([code]).stream().pipeTo(child.stdin);
    return await child.output();
  } catch (error) {
    const { NotCapable, NotFound } = Deno.errors;
    if (error instanceof NotCapable) {
      throw new UsageError(
        "--types runs the type checker; permit that with --allow-run=deno",
      );
    }
    if (!(error instanceof NotFound)) throw error;
    throw new UsageError(
      '--types runs the command "deno", which is not in the PATH',
    );
  }
}

/** The absolute path of a file, which messages spell otherwise. */
function locationOf(path: string): string {
  return resolve(unescaped(path));
}
