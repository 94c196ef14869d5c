import { printable } from "../core/common/log.ts";
import { flagsOf, permissionsOf } from "../core/start/permissions.ts";
import { findTools } from "../mcp/tools.ts";
import { schemaKey } from "../core/methods.ts";
import type { RouteInfo } from "../core/types/plugin.ts";
import { SCHEMA_PARTS } from "../core/schema/check_request.ts";
import type { RouteSchema } from "../core/types/schema.ts";
import { aligned } from "../shared/aligned.ts";
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

export const routes: Command = {
  summary: "Lists the routes, or shows which route a request reaches",
  help: `
Usage: bough routes [apiDir] [options]
${APPLICATION_HELP}
  --match=<text>   shows which route a request reaches, and why similar routes
                   do not match: --match "GET /api/users/42"
  --json           prints JSON`,
  boolean: ["json"],
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
      const rows = listed.map(({ info }) => info);
      const [titles, ...lines] = table({
        ...COLUMNS,
        TOOLS: (info) => toolsOf(info).map(({ name }) => name).join(" "),
      }, rows);
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

/** The text of a cell, by the title of its column. */
type Columns = Readonly<Record<string, (info: RouteInfo) => string>>;

const COLUMNS: Columns = {
  METHODS: ({ methods }) => methods.join(" "),
  URL: ({ path }) => path,
  FILE: ({ file }) => file,
  MIDDLEWARE: ({ middleware }) => middleware.join(" > "),
  SECURITY: securityText,
  CONTRACTS: contractsText,
  SCHEMA: schemaText,
  PERMISSIONS: ({ permissions }) =>
    flagsOf(permissions.flatMap((each) => permissionsOf(each.permissions)))
      .join(" "),
};

/** The lines of a table, without the later columns whose cells are all empty. */
function table(columns: Columns, routes: readonly RouteInfo[]): string[] {
  const shown = Object.entries(columns).map(([title, cell]) => [
    title,
    ...routes.map((info) => printable(cell(info))),
  ]).filter(([, ...cells], column) =>
    column < 3 || cells.some((cell) => cell !== "")
  );
  return aligned(
    ["", ...routes].map((_, line) => shown.map((cells) => cells[line]!)),
  );
}
