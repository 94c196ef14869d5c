import { Faults, RouteError } from "../routes/route_error.ts";
import { createDocument } from "../openapi/document.ts";
import type { RouteInfo } from "../app/plugin.ts";
import { printable, printableLines } from "../common/printable.ts";
import type { Warning } from "../routes/discover.ts";
import { scanFiles } from "../routes/scan.ts";
import { buildRoutes } from "../app/start.ts";
import { resolvedOptionsOf } from "./application.ts";
import {
  APPLICATION_HELP,
  type Call,
  colored,
  type Command,
  FINDINGS,
  GOOD,
  print,
  printJson,
} from "./command.ts";
import { inMatchingOrder } from "./listed_route.ts";
import { ignoredBodies, type NamedRoute, treeWarnings } from "./warnings.ts";

/** Something that `check` found. */
export interface Finding {
  /** An error stops the start of the application; a warning does not. */
  readonly level: "error" | "warning";
  /** The file or folder concerned. */
  readonly path: string;
  /** What is wrong, and what to do. */
  readonly message: string;
}

/** Checks an application, for CI. */
export const check: Command = {
  summary: "Checks what the start would refuse, and what is likely a mistake",
  help: `
Usage: bough check [apiDir] [options]
${APPLICATION_HELP}
  --json           prints JSON`,
  boolean: ["json"],
  string: ["prefix"],
  positionals: 1,
  async run(call) {
    const findings = await findingsOf(call);
    if (call.isOn("json")) {
      printJson(findings);
    } else {
      for (const { level, path, message } of findings) {
        const color = level === "error" ? "red" : "yellow";
        const text = `"${printable(path)}": ${printableLines(message)}`;
        print(`${colored(color, level)} ${text}`);
      }
    }
    return findings.length === 0 ? GOOD : FINDINGS;
  },
};

async function findingsOf(call: Call): Promise<Finding[]> {
  const { errors, warnings, routes } = await tryStart(call);
  const named = errors.length === 0 ? inMatchingOrder(routes) : scannedOf(call);
  warnings.push(...treeWarnings(named));
  warnings.push(...ignoredBodies(routes));
  const info = { title: "check", version: "0" };
  const withSchema = routes.filter(({ schema }) =>
    Object.keys(schema).length > 0
  );
  warnings.push(...createDocument(withSchema, { info }).warnings);
  return [
    ...errors.map((each) => ({ level: "error" as const, ...each })),
    ...warnings.map((each) => ({ level: "warning" as const, ...each })),
  ];
}

/** How a start went. */
interface StartResult {
  readonly errors: Warning[];
  readonly warnings: Warning[];
  readonly routes: readonly RouteInfo[];
}

/** Loads the routes of the application, or collects what stops its start. */
async function tryStart(call: Call): Promise<StartResult> {
  const options = resolvedOptionsOf(call);
  const warnings: Warning[] = [];
  try {
    const { list } = await buildRoutes(options, (each) => warnings.push(each));
    return { errors: [], warnings, routes: await list() };
  } catch (error) {
    if (!(error instanceof RouteError)) throw error;
    const errors = error.faults.map(({ path, reason }) => ({
      path,
      message: reason,
    }));
    return { errors, warnings, routes: [] };
  }
}

/** The routes by their folder names alone, where their files cannot be loaded. */
function scannedOf(call: Call): NamedRoute[] {
  try {
    return scanFiles(resolvedOptionsOf(call), new Faults()).compiled.map((
      { file: { path, folders }, pattern },
    ) => ({ info: { file: path, folders }, pattern }));
  } catch (error) {
    // The folder cannot be read, which is among the errors already.
    if (error instanceof RouteError) return [];
    throw error;
  }
}
