import { flagsOf, permissionsOf } from "../core/start/permissions.ts";
import { findTools } from "../mcp/tools.ts";
import { schemaKey } from "../core/methods.ts";
import type { RouteInfo } from "../core/types/plugin.ts";
import { SCHEMA_PARTS } from "../core/schema/check_request.ts";
import type { RouteSchema } from "../core/types/schema.ts";
import { validInspectionOf } from "./application.ts";
import { withoutUrls } from "./check/declarations.ts";
import {
  contractsText,
  operationNotes,
  operationsOf,
  securityText,
} from "./check/operations.ts";
import {
  APPLICATION_HELP,
  colored,
  type Command,
  GOOD,
  print,
  printJson,
} from "./command.ts";
import { explain, inMatchingOrder } from "./explain.ts";
import { type Column, tableLines } from "./table.ts";

export const routes: Command = {
  summary: "Lists the routes, or shows which route a request reaches",
  help: `
Usage: bough routes [apiDir] [options]
${APPLICATION_HELP}
  --match=<text>   shows which route a request reaches, and why similar routes
                   do not match: --match "GET /api/users/42"
  --long           shows everything; by default, the list fits a terminal
  --json           prints JSON`,
  boolean: ["json", "long"],
  string: ["prefix", "match"],
  async run(call) {
    const { routes, pluginRoutes } = await validInspectionOf(call);
    const listed = inMatchingOrder([...routes, ...pluginRoutes]);
    const byRoute = Map.groupBy(findTools(routes).tools, ({ route }) => route);
    const toolsOf = (info: RouteInfo) => byRoute.get(info) ?? [];
    const match = call.value("match");
    if (match !== undefined) return explain(listed, match, call.isOn("json"));
    if (call.isOn("json")) {
      printJson(listed.map(({ info }) => ({
        ...summaryOf(info),
        ...(byRoute.has(info) && {
          tools: Object.fromEntries(
            toolsOf(info).map((each) => [schemaKey(each.method), each.name]),
          ),
        }),
      })));
    } else {
      const width = call.isOn("long") ? undefined : terminalWidth();
      const rows = listed.map(({ info }) => info);
      const columns = [...COLUMNS, {
        title: "TOOLS",
        cell: (info: RouteInfo) =>
          toolsOf(info).map(({ name }) => name).join(" "),
        isOptional: true,
      }];
      const [titles, ...lines] = tableLines(columns, rows, width);
      const notes = operationNotes(rows);
      print([colored("bold", titles!), ...lines, ...notes].join("\n"));
    }
    return GOOD;
  },
};

const PARTS = [...SCHEMA_PARTS, "response", "events", "socket"];

/** The parts with a schema, by lowercase method. */
function schemaParts({ schema }: RouteInfo): Record<string, string[]> {
  const entries = Object.entries(schema).map(([method, parts]) =>
    [method, PARTS.filter((part) => part in parts)] as const
  );
  return Object.fromEntries(entries);
}

/** The parts with a schema, in one line: `get: params events(status done)`. */
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

const COLUMNS: readonly Column<RouteInfo>[] = [
  { title: "METHODS", cell: ({ methods }) => methods.join(" ") },
  { title: "URL", cell: ({ path }) => path },
  { title: "FILE", cell: ({ file }) => file },
  { title: "MIDDLEWARE", cell: ({ middleware }) => middleware.join(" > ") },
  { title: "SECURITY", cell: securityText, isOptional: true },
  { title: "CONTRACTS", cell: contractsText, isOptional: true },
  { title: "SCHEMA", cell: schemaText },
  {
    title: "PERMISSIONS",
    cell: ({ permissions }) =>
      flagsOf(permissions.flatMap((each) => permissionsOf(each.permissions)))
        .join(" "),
    isOptional: true,
  },
];

/** The width of the terminal; `undefined` if the output is not a terminal. */
function terminalWidth(): number | undefined {
  if (!Deno.stdout.isTerminal()) return undefined;
  // Some terminals report a width of 0.
  return Deno.consoleSize().columns || undefined;
}
