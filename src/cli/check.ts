import { printable, printableLines } from "../core/common/log.ts";
import type { Inspection } from "../core/start/inspect.ts";
import { inspectionOf, moduleOf } from "./application.ts";
import { findingsOf } from "./check/findings.ts";
import { operationNotes } from "./check/operations.ts";
import { type Finding, WARNINGS } from "./check/rules.ts";
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
  UsageError,
} from "./command.ts";
import { inMatchingOrder } from "./explain.ts";

export const check: Command = {
  summary: "Finds errors that prevent startup, and likely mistakes",
  help: `
Usage: bough check [apiDir] [options]
${APPLICATION_HELP}
  --allow=<rule>   hides the warnings of a rule; may be repeated. To hide them
                   in one file, add a comment "// bough-allow <rule>: <reason>"
  --json           prints JSON`,
  boolean: ["json"],
  string: ["prefix"],
  list: ["allow"],
  async run(call) {
    const { findings, notes } = await checked(call);
    if (call.isOn("json")) {
      printJson(findings);
    } else {
      for (const { level, rule, path, message } of findings) {
        const label = colored(level === "error" ? "red" : "yellow", level);
        const text = `"${printable(path)}": ${printableLines(message)}`;
        print(`${label} ${text} (${rule})`);
      }
      for (const line of notes) print(line);
    }
    return findings.length === 0 ? GOOD : FINDINGS;
  },
};

/** The findings, and the lines below them: open operations, and a summary. */
async function checked(call: Call): Promise<{
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
}> {
  const allow = call.values("allow");
  const unknown = allow.find((rule) => !Object.hasOwn(WARNINGS, rule));
  if (unknown !== undefined) {
    const known = Object.keys(WARNINGS).join(", ");
    throw new UsageError(
      `--allow has "${unknown}", which is not the rule of a warning; the rules are ${known}`,
    );
  }
  let inspection: Inspection;
  try {
    inspection = await inspectionOf(call);
  } catch (error) {
    if (!(error instanceof ModuleError)) throw error;
    const { path, reason: message } = error;
    const rule = "application";
    return { findings: [{ level: "error", rule, path, message }], notes: [] };
  }
  const { errors, warnings, allowed } = await findingsOf(inspection, allow);
  const findings = [...errors, ...warnings];
  const routes = inMatchingOrder(inspection.routes).map(({ info }) => info);
  const notes = operationNotes(routes);
  if (findings.length === 0) {
    const except = allowed === 0
      ? ""
      : ` except ${count(allowed, "allowed warning")}`;
    const place = printable(moduleOf(call) ?? inspection.source);
    notes.push(
      `Checked ${countsOf(inspection)} in "${place}": nothing found${except}`,
    );
  }
  return { findings, notes };
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
