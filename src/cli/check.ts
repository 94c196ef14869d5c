import { printable, printableLines } from "../core/common/log.ts";
import type { Inspection } from "../core/start/inspect.ts";
import { inspectionOf, moduleOf } from "./application.ts";
import { findingsOf } from "./check/findings.ts";
import { operationNotes } from "./check/operations.ts";
import type { Finding } from "./check/rules.ts";
import { typeErrors } from "./check/type_check.ts";
import {
  APPLICATION_HELP,
  type Call,
  colored,
  type Command,
  count,
  FINDINGS,
  GOOD,
  ModuleError,
  print,
  printJson,
} from "./command.ts";
import { inMatchingOrder } from "./explain.ts";

export const check: Command = {
  summary: "Finds errors that prevent startup, and likely mistakes",
  help: `
Usage: bough check [apiDir] [options]
${APPLICATION_HELP}
  --types          also runs the type checker on the files
  --allow=<rule>   hides the warnings of a rule; may be repeated. To hide them
                   in one file, add a comment "// bough-allow <rule>: <reason>"
  --json           prints JSON`,
  boolean: ["json", "types"],
  string: ["prefix"],
  list: ["allow"],
  async run(call) {
    const { findings, notes, summary } = await checked(call);
    if (call.isOn("json")) {
      printJson(findings);
    } else {
      for (const { level, rule, path, message } of findings) {
        const label = colored(level === "error" ? "red" : "yellow", level);
        const text = `"${printable(path)}": ${printableLines(message)}`;
        print(`${label} ${text} (${rule})`);
      }
      for (const line of notes) print(line);
      if (findings.length === 0) print(printable(summary));
    }
    return findings.length === 0 ? GOOD : FINDINGS;
  },
};

async function checked(call: Call): Promise<{
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
  readonly summary: string;
}> {
  let inspection: Inspection;
  try {
    inspection = await inspectionOf(call);
  } catch (error) {
    if (!(error instanceof ModuleError)) throw error;
    const { path, reason: message } = error;
    const fault = {
      level: "error",
      rule: "application",
      path,
      message,
    } as const;
    return { findings: [fault], notes: [], summary: "" };
  }
  const module = moduleOf(call);
  const { errors, warnings, allowed } = await findingsOf(inspection, {
    module,
    allow: call.values("allow"),
  });
  const types = call.isOn("types") ? await typeErrors(inspection, module) : [];
  const routes = inMatchingOrder(inspection.routes).map(({ info }) => info);
  const place = module ?? inspection.source;
  const except = allowed === 0
    ? ""
    : ` except ${count(allowed, "allowed warning")}`;
  return {
    findings: [...errors, ...types, ...warnings],
    notes: operationNotes(routes),
    summary: `Checked ${
      countsOf(inspection)
    } in "${place}": nothing found${except}`,
  };
}

/** Counts what the check read: `17 routes, 31 handlers, 4 middleware files`. */
function countsOf({ routes, middleware, pluginRoutes }: Inspection): string {
  const handlers = routes.flatMap(({ methods }) => methods).length;
  const counts = [
    count(routes.length, "route"),
    count(handlers, "handler"),
    count(middleware.length, "middleware file"),
  ];
  const { length } = pluginRoutes;
  if (length > 0) counts.push(count(length, "plugin route"));
  return counts.join(", ");
}
