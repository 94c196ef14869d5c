import { dirname } from "@std/path/dirname";
import { fromFileUrl } from "@std/path/from-file-url";
import { resolve } from "@std/path/resolve";
import { toFileUrl } from "@std/path/to-file-url";
import { stripVTControlCharacters } from "node:util";
import { unescaped } from "../../core/common/log.ts";
import type { Inspection } from "../../core/start/inspect.ts";
import { UsageError } from "../command.ts";
import { fileInfo } from "../files.ts";
import type { Finding } from "./rules.ts";

/** The place of an error in the output of the type checker. */
const PLACE = /^\s+at (file:\S+?):(\d+):\d+$/m;
/** The blank line before the next error. The further lines of an error are indented. */
const NEXT = /\n\n(?=TS\d+ \[ERROR\]: \S)/;
/** The end of the output, after the errors. */
const END = /\n\n(?:Found \d+ errors?\.|error: Type checking failed\.)[^]*$/;

/**
 * The types of handlers and middleware. These types restrict only the results. A
 * middleware file with a contract needs no default export. `any` fits every type, so
 * `Strict` replaces a function that may return `any`.
 */
const TYPES = `
type Handle = (request: never) => Response | Promise<Response>;
type Handler<Type extends Handle> = Type;
type Run = (request: never, next: never) => Response | Promise<Response>;
type Middleware<Type extends Run | readonly Run[]> = Type;
type Default<Module> = Module extends { default: infer Type } ? Type : Run;
type Own<Module> = Module extends { middleware: infer Type }
  ? Type extends readonly unknown[] ? Type : Type[keyof Type]
  : Run;
declare const any: unique symbol;
type IsAny<Type> = 0 extends 1 & Type ? true : false;
type Strict<Type> = IsAny<Type> extends true ? () => typeof any
  : Type extends readonly (infer Each)[] ? readonly Strict<Each>[]
  : Type extends (...args: never) => infer Result
    ? IsAny<Awaited<Result>> extends true ? () => typeof any : Type
  : Type;
`;

/**
 * Runs the type checker on the files of an application, with the configuration of its
 * project, and returns the errors. The checker reads a generated module, which assigns
 * a type to every handler and middleware, even to those without annotations. The
 * generated module imports only types, so no code runs.
 *
 * @param module The module of the application, if the command names one.
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
    ...files.map(({ file: path }) => (
      { path, uses: [...methods.get(path) ?? [], "middleware"] }
    )),
    ...middleware.map((path) => ({ path, uses: ["default"] })),
  ].filter(({ path }) => fileInfo(locationOf(path))?.isFile);
  if (all.length === 0) return [];

  const lines = TYPES.split("\n").slice(0, -1);
  const uses = new Map<number, { path: string; name: string }>();
  for (const [index, { path, uses: names }] of all.entries()) {
    const url = JSON.stringify(toFileUrl(locationOf(path)).href);
    lines.push(`import type * as file${index} from ${url};`);
    lines.push(`export type File${index} = typeof file${index};`);
    for (const name of names) {
      const [type, value] = name === "default"
        ? ["Middleware", `Default<typeof file${index}>`]
        : name === "middleware"
        ? ["Middleware", `Own<typeof file${index}>`]
        : ["Handler", `typeof file${index}.${name}`];
      // In JavaScript, parameters are `any`, and so is the result of `next()`.
      const strict = /\.jsx?$/.test(path) ? value : `Strict<${value}>`;
      lines.push(`export type ${name}${index} = ${type}<${strict}>;`);
      uses.set(lines.length, { path, name });
    }
  }
  const folder = module === undefined ? source : dirname(module);
  const { success, stderr } = await runChecker(lines.join("\n"), folder);
  if (success) return [];
  const givenPaths = new Map(all.map(({ path }) => [locationOf(path), path]));
  const printed = new TextDecoder().decode(stderr);
  return stripVTControlCharacters(printed).trim().replace(END, "")
    .split(NEXT).map((text) => {
      const [, url, line] = PLACE.exec(text) ?? [];
      const use = uses.get(Number(line));
      const isOwn = url?.endsWith("$deno$stdin.mts") && use !== undefined;
      const path = url === undefined ? source : fromFileUrl(url);
      return {
        level: "error",
        rule: "types",
        path: isOwn ? use.path : givenPaths.get(path) ?? path,
        message: isOwn ? mismatchText(use.name, text) : text,
      };
    });
}

/** Describes an export with a wrong result, in the words of the type checker. */
function mismatchText(name: string, text: string): string {
  const reasons = text.split("\n").slice(1).map((line) => line.trim())
    .filter((line) => line.startsWith("Type '"))
    .map((line) => line.replace("'typeof any'", "'any'"));
  const rule = `export "${name}" must return a Response, or a promise of one.`;
  return [rule, ...reasons].join(" ");
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
        "--types runs the type checker; allow this with --allow-run=deno",
      );
    }
    if (!(error instanceof NotFound)) throw error;
    throw new UsageError(
      '--types runs the program "deno", which is not in the PATH',
    );
  }
}

/** Converts the path of a file in messages to the absolute path. */
function locationOf(path: string): string {
  return resolve(unescaped(path));
}
