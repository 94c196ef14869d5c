import { RouteError } from "../errors.ts";
import { createDocument } from "../openapi/document.ts";
import type { RouteInfo } from "../plugin.ts";
import { scanFiles } from "../scan.ts";
import { applicationOf, scanOptionsOf } from "./application.ts";
import {
  APPLICATION_HELP,
  type Call,
  colored,
  type Command,
  FINDINGS,
  GOOD,
  print,
} from "./command.ts";
import { inMatchingOrder } from "./routes.ts";
import {
  ignoredBodies,
  type NamedRoute,
  treeWarnings,
  type Warning,
} from "./warnings.ts";

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
      print(JSON.stringify(findings, null, 2));
    } else {
      for (const { level, path, message } of findings) {
        const color = level === "error" ? "red" : "yellow";
        print(`${colored(color, level)} "${path}": ${message}`);
      }
    }
    return findings.length === 0 ? GOOD : FINDINGS;
  },
};

async function findingsOf(call: Call): Promise<Finding[]> {
  const { errors, routes } = await startOf(call);
  const warnings = errors.length === 0
    ? treeWarnings(inMatchingOrder(routes))
    : treeWarnings(scannedOf(call));
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

/** The routes of the application, or what keeps it from starting. */
async function startOf(
  call: Call,
): Promise<{ errors: Warning[]; routes: readonly RouteInfo[] }> {
  try {
    return { errors: [], routes: await applicationOf(call).routes() };
  } catch (error) {
    if (!(error instanceof RouteError)) throw error;
    const errors = error.faults.map(({ path, reason }) => ({
      path,
      message: reason,
    }));
    return { errors, routes: [] };
  }
}

/** The routes as far as their names go, where their files cannot be served. */
function scannedOf(call: Call): NamedRoute[] {
  try {
    return scanFiles(scanOptionsOf(call), []).compiled.map((
      { file: { path, folders }, pattern },
    ) => ({ info: { file: path, folders }, pattern }));
  } catch (error) {
    // The folder itself cannot be read, which was found before.
    if (error instanceof RouteError) return [];
    throw error;
  }
}
