import type { RouteInfo } from "../app/plugin.ts";
import { printable } from "../common/printable.ts";
import { flagsOf, wantsOf } from "../routes/permission_flags.ts";
import { type RouteSchema, SCHEMA_PARTS } from "../http/validation/schema.ts";
import { soundInspectionOf } from "./application.ts";
import {
  APPLICATION_HELP,
  colored,
  type Command,
  GOOD,
  print,
  printJson,
} from "./command.ts";
import { explain } from "./explain.ts";
import { withoutUrls } from "./declared_permissions.ts";
import { inMatchingOrder } from "./listed_route.ts";
import { contractsText, operationsOf, securityText } from "./operations.ts";

/** Lists the routes of an application. */
export const routes: Command = {
  summary: "Lists the routes, or tells which of them a request reaches",
  help: `
Usage: bough routes [apiDir] [options]
${APPLICATION_HELP}
  --match=<text>   tells which route a request reaches, and why the nearer ones
                   do not: --match "GET /api/users/42"
  --json           prints JSON`,
  boolean: ["json"],
  string: ["prefix", "match"],
  positionals: 1,
  async run(call) {
    const { routes, pluginRoutes } = await soundInspectionOf(call);
    const listed = inMatchingOrder([...routes, ...pluginRoutes]);
    const match = call.value("match");
    if (match !== undefined) return explain(listed, match, call.isOn("json"));
    if (call.isOn("json")) {
      printJson(listed.map(({ info }) => summaryOf(info)));
    } else {
      print(table(listed.map(({ info }) => info)));
    }
    return GOOD;
  },
};

/** The parts that the schemas of a route describe, by lowercase method. */
function schemaParts({ schema }: RouteInfo): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(schema).map(([method, parts]) => [
      method,
      [...SCHEMA_PARTS, "response", "events", "socket"]
        .filter((part) => part in parts),
    ]),
  );
}

/**
 * The same in one line. What streams events or opens a socket says which:
 * `get: params events(status done)`.
 */
function schemaText(info: RouteInfo): string {
  return Object.entries(schemaParts(info)).map(([method, parts]) => {
    const schema = info.schema[method as keyof RouteSchema]!;
    const texts = parts.map((part) =>
      part === "events" || part === "socket"
        ? `${part}(${Object.keys(schema[part]!).join(" ")})`
        : part
    );
    return `${method}: ${texts.join(" ")}`;
  }).join("; ");
}

function summaryOf(info: RouteInfo): Record<string, unknown> {
  const { methods, path, file, middleware } = info;
  return {
    methods,
    path,
    file,
    middleware,
    schema: schemaParts(info),
    operations: operationsOf(info),
    permissions: info.permissions.map(({ file, permissions }) => ({
      file,
      permissions: withoutUrls(permissions),
    })),
  };
}

/** What the columns show of a route; an optional one is left out if all is empty. */
const COLUMNS: readonly {
  readonly title: string;
  readonly cell: (info: RouteInfo) => string;
  readonly isOptional?: boolean;
}[] = [
  { title: "METHODS", cell: ({ methods }) => methods.join(" ") },
  { title: "URL", cell: ({ path }) => path },
  { title: "FILE", cell: ({ file }) => file },
  {
    title: "MIDDLEWARE",
    cell: ({ middleware }) => middleware.join(" > "),
  },
  {
    title: "SECURITY",
    cell: (info) => securityText(info),
    isOptional: true,
  },
  {
    title: "CONTRACTS",
    cell: (info) => contractsText(info),
    isOptional: true,
  },
  {
    title: "SCHEMA",
    cell: schemaText,
  },
  {
    title: "PERMISSIONS",
    cell: ({ permissions }) =>
      flagsOf(permissions.flatMap(({ permissions }) => wantsOf(permissions)))
        .join(" "),
    isOptional: true,
  },
];

function table(routes: readonly RouteInfo[]): string {
  const columns = COLUMNS.filter(({ cell, isOptional = false }) =>
    !isOptional || routes.some((info) => cell(info) !== "")
  );
  const head = columns.map(({ title }) => title);
  const rows = routes.map((info) =>
    columns.map(({ cell }) => printable(cell(info)))
  );
  const widths = head.map((title, column) =>
    rows.reduce(
      (width, row) => Math.max(width, row[column]!.length),
      title.length,
    )
  );
  const line = (cells: readonly string[]): string =>
    cells.slice(0, head.length)
      .map((cell, column) => cell.padEnd(widths[column]!)).join("  ")
      .trimEnd();
  return [colored("bold", line(head)), ...rows.map(line)].join("\n");
}
