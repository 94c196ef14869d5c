import { printable } from "../core/common/log.ts";
import { isObject, messageOf } from "../core/common/values.ts";
import { contentFinder } from "../core/schema/declaration.ts";
import type { Change, Refuse } from "../diff/mod.ts";
import { pathTemplate, unnamed } from "../shared/document/parameters.ts";
import type { OpenApiDocument } from "../shared/types.ts";
import type { RouteInfo } from "../core/types/plugin.ts";
import { cookiesIn } from "../shared/wire.ts";
import { curlOf, LOCAL_ORIGIN, ONLY } from "../testing/plan.ts";
import { testText } from "../testing/report/test_text.ts";
import { validInspectionOf } from "./application.ts";
import {
  APPLICATION_HELP,
  colored,
  type Command,
  FINDINGS,
  GOOD,
  MISUSE,
  print,
  printError,
  printJson,
  UsageError,
} from "./command.ts";
import { readIfExists } from "./files.ts";
import { documentFor } from "./openapi.ts";

export const diff: Command = {
  summary: "Finds the changes of an API that break its clients",
  help: `
Usage: bough diff [apiDir] --against=<document> [options]
${APPLICATION_HELP}
  --against=<document>
                   the earlier OpenAPI document: a file, a URL, or a file of
                   another commit, such as origin/main:api.json
  --at=<date>      judges removed operations as of this date (default: today)
  --accept=<reason>
                   adds the changes to the file of accepted changes
  --accepted=<file>
                   the file of accepted changes (default: accepted_changes.json)
  --format=github  prints annotations for GitHub Actions
  --json           prints JSON

Exits with 0 if every client keeps working, with 1 if a change breaks clients or
cannot be judged, and with 2 if it could not compare the documents.`,
  boolean: ["json"],
  failure: MISUSE,
  string: ["prefix", "against", "at", "accept", "accepted", "format"],
  async run(call) {
    const format = call.value("format");
    if (format !== undefined && format !== "github") {
      throw new UsageError(`--format must be github, got "${format}"`);
    }
    const at = dateOf(call.value("at"));
    const reason = call.value("accept");
    const file = call.value("accepted") ?? DEFAULT_FILE;
    const isNeeded = call.value("accepted") !== undefined && !reason;
    const accepted = acceptedIn(file, isNeeded);
    const known = new Map(accepted.map((each) => [keyOf(each), each]));
    const before = await documentAt(call.value("against"));
    const inspection = await validInspectionOf(call);
    const { diffDocuments } = await import("../diff/mod.ts");
    const refuse = await refuseOf(inspection.routes);
    const after = documentFor(call, inspection);
    const files = new Map(
      inspection.routes.flatMap(({ segments, file }) => {
        const path = pathTemplate(segments);
        return [[unnamed(path), file], [path, file]] as const;
      }),
    );
    const found = await diffDocuments(before, after, { at, refuse })
      .catch((cause) => {
        throw new UsageError(
          `Cannot compare with "${call.value("against")}": ${messageOf(cause)}`,
        );
      });
    const all = found.map((each): Located => {
      const path = each.operation.split(" ")[1]!;
      return { ...each, file: files.get(path) ?? files.get(unnamed(path)) };
    });
    if (reason !== undefined) {
      const date = at.toISOString().slice(0, 10);
      const entries = all.map((each) => {
        const { rule, operation, place, message } = each;
        return known.get(keyOf(each)) ??
          { rule, operation, place, message, reason, date };
      });
      const text = JSON.stringify(entries, null, 2) + "\n";
      attempt(() => Deno.writeTextFileSync(file, text), `write "${file}"`);
      print(printable(`Accepted changes in "${file}": ${entries.length}`));
      return GOOD;
    }
    const changes = all.filter((each) => !known.has(keyOf(each)));
    const current = new Set(all.map(keyOf));
    const stale = accepted.filter((each) => !current.has(keyOf(each)));
    if (call.isOn("json")) printJson({ changes, stale });
    else if (format === "github") changes.map(annotationOf).forEach(print);
    else print(reportOf(changes));
    for (const { operation, place, message } of stale) {
      const change = `${[operation, place].join(" ").trim()}: ${message}`;
      const note = "which no longer occurs; remove the entry";
      printError(printable(`Note: "${file}" accepts ${change}, ${note}`));
    }
    return changes.length === 0 ? GOOD : FINDINGS;
  },
};

/** @throws {UsageError} If the document cannot be read, or has an older format. */
async function documentAt(place: string | undefined): Promise<OpenApiDocument> {
  if (place === undefined) {
    throw new UsageError(
      "--against has no document; add --against=<file, URL or ref:path>",
    );
  }
  let document: unknown;
  try {
    document = JSON.parse(await textAt(place));
  } catch (cause) {
    throw new UsageError(`Cannot read "${place}": ${messageOf(cause)}`);
  }
  if (
    isObject(document) && /^3\.[12]\.\d+$/.test(String(document.openapi)) &&
    isObject(document.paths)
  ) return document as unknown as OpenApiDocument;
  throw new UsageError(
    `Cannot compare with "${place}": it is not an OpenAPI document of version 3.1 or 3.2; write one with "bough openapi"`,
  );
}

/** @throws {UsageError} If a file cannot be used, for example without permission. */
function attempt<Result>(use: () => Result, task: string): Result {
  try {
    return use();
  } catch (cause) {
    const reason = messageOf(cause);
    throw new UsageError(
      `Cannot ${task}: ${reason}; or name another file with --accepted`,
    );
  }
}

/** The maximum time for reading a document from a URL, in milliseconds. */
const TIMEOUT = 30_000;

async function textAt(place: string): Promise<string> {
  if (/^https?:\/\//.test(place)) {
    const signal = AbortSignal.timeout(TIMEOUT);
    const response = await fetch(place, { signal });
    const text = await response.text();
    if (response.ok) return text;
    throw new Error(`the server responded with ${response.status}`);
  }
  const text = readIfExists(place);
  if (text !== undefined) return text;
  if (!/^[^-].*:/.test(place)) throw new Error("the file does not exist");
  // A file of another commit, such as `origin/main:api.json`.
  const command = new Deno.Command("git", { args: ["show", place] });
  const { success, stdout, stderr } = await Promise.try(() => command.output())
    .catch((cause) => {
      const reason = cause instanceof Deno.errors.NotCapable
        ? messageOf(cause)
        : "git cannot run; install git, or name a file";
      throw new Error(reason, { cause });
    });
  const output = new TextDecoder().decode(success ? stdout : stderr);
  if (success) return output;
  throw new Error(output.trim());
}

/** @throws {UsageError} If the text is not a date. */
function dateOf(text: string | undefined): Date {
  if (text === undefined) return new Date();
  const date = new Date(text);
  // The parser takes "2030-02-30" for March 2.
  if (date.toJSON()?.slice(0, 10) === text) return date;
  throw new UsageError(
    `--at must be a date, such as 2026-12-31, got "${text}"`,
  );
}

/** Validates values of requests with the schemas of the routes. */
async function refuseOf(routes: readonly RouteInfo[]): Promise<Refuse> {
  const [{ checkPart }, { asCarried }] = await Promise.all([
    import("../shared/schemas.ts"),
    import("../shared/wire.ts"),
  ]);
  const schemas = new Map(
    routes.flatMap((route) =>
      route.methods.map((method) => {
        const name = `${method} ${pathTemplate(route.segments)}`;
        return [name, route.operations.get(method)!.parts] as const;
      })
    ),
  );
  return async (operation, part, value, type) => {
    // Like a query, the params are strings.
    const sent = asCarried(part === "params" ? "query" : part, value);
    const all = schemas.get(operation)?.[part] ?? [];
    const find = contentFinder(all);
    for (const schema of all) {
      if (type && schema.mediaType && schema !== find(type)) continue;
      const result = await checkPart(part, schema, { [part]: sent });
      if (result === undefined) return [{ message: "it throws an error" }];
      if (result.issues !== undefined) return result.issues;
    }
    return undefined;
  };
}

/** A change, and the route file of its operation; `undefined` if it was removed. */
interface Located extends Change {
  readonly file: string | undefined;
}

/** The members that identify a change; its message describes both values. */
type Key = Pick<Change, "rule" | "operation" | "place" | "message">;

function keyOf({ rule, operation, place, message }: Key): string {
  return JSON.stringify([rule, operation, place, message]);
}

/** A change that the team accepts. */
interface Accepted extends Key {
  readonly reason: string;
  /** The date of the decision: `2026-03-14`. */
  readonly date: string;
}

const DEFAULT_FILE = "accepted_changes.json";

/** @throws {UsageError} If the file has other contents, or does not exist but must. */
function acceptedIn(file: string, isNeeded: boolean): Accepted[] {
  const text = attempt(() => readIfExists(file), `read "${file}"`);
  if (text === undefined) {
    if (!isNeeded) return [];
    throw new UsageError(
      `file "${file}" does not exist; name the file of accepted changes`,
    );
  }
  const names = ["rule", "operation", "place", "message", "reason", "date"];
  try {
    const list: unknown = JSON.parse(text);
    const isValid = Array.isArray(list) &&
      list.every((each) =>
        isObject(each) && names.every((name) => typeof each[name] === "string")
      );
    if (isValid) return list;
  } catch {
    // The error below says what the file must contain.
  }
  const list = `"${names.join('", "')}"`;
  throw new UsageError(
    `Cannot read "${file}": it is not a JSON list of objects with ${list}; restore the file`,
  );
}

function reportOf(changes: readonly Located[]): string {
  if (changes.length === 0) return "No change breaks a client";
  const blocks = Map.groupBy(
    changes,
    ({ operation, file }) =>
      file === undefined ? operation : `${operation} (${file})`,
  ).entries().map(([title, all]) =>
    [colored("bold", printable(title)), ...all.map(textOf)].join("\n")
  );
  const broken = changes.filter(({ verdict }) => verdict === "breaking").length;
  const summary = `${broken} breaking, ${changes.length - broken} unknown`;
  return [...blocks, summary].join("\n\n");
}

function textOf(change: Located): string {
  const { verdict, rule, place, message, clients, remedy, request } = change;
  const label = colored(verdict === "breaking" ? "red" : "yellow", verdict);
  const where = place === "" ? "" : ` ${place}`;
  const lines = [
    `${where}: ${message} (${rule}; ${clients} clients)`,
    `remedy: ${remedy}`,
  ];
  if (request !== undefined) {
    const name = `${change.operation} accepts the earlier ${place}`;
    const assertion =
      "assert(![400, 401, 403, 422].includes(response.status));";
    const { as: names, headers: { cookie, ...headers }, ...parts } = request;
    const plan = {
      ...parts,
      headers,
      ...(cookie !== undefined && { cookies: cookiesIn(cookie) }),
      ...(names && { as: ONLY, hasCookies: names.includes("cookie") }),
    };
    lines.push(curlOf(plan, { origin: LOCAL_ORIGIN, names: names ?? [] }));
    lines.push(...testText(name, [plan], assertion).split("\n"));
  }
  return `  ${label}` + lines.map(printable).join("\n    ");
}

/** The command of GitHub Actions that annotates the route file. */
function annotationOf(change: Located): string {
  const { verdict, rule, operation, place, message, remedy, file } = change;
  const level = verdict === "breaking" ? "error" : "warning";
  const escaped = (text: string) => printable(text).replaceAll("%", "%25");
  const path = file && escaped(file).replaceAll(/[:,]/g, encodeURIComponent);
  const title = path === undefined
    ? `title=${rule}`
    : `file=${path},title=${rule}`;
  const where = [operation, place].join(" ").trim();
  return `::${level} ${title}::${escaped(`${where}: ${message}; ${remedy}`)}`;
}
