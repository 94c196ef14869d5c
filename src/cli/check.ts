import { resolve } from "@std/path";
import { RouteError } from "../errors.ts";
import { createDocument } from "../openapi/document.ts";
import type { RouteInfo } from "../plugin.ts";
import { folderSource } from "../routes/source.ts";
import { scanFiles } from "../scan.ts";
import { apiDirOf, applicationOf } from "./application.ts";
import {
  APPLICATION_HELP,
  type Call,
  colored,
  type Command,
  FINDINGS,
  GOOD,
  print,
} from "./command.ts";
import { ignoredBodies, treeWarnings } from "./warnings.ts";

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
  const errors: Finding[] = [];
  let routes: readonly RouteInfo[] = [];
  try {
    routes = await applicationOf(call).routes();
  } catch (error) {
    if (!(error instanceof RouteError)) throw error;
    for (const { path, reason } of error.faults) {
      errors.push({ level: "error", path, message: reason });
    }
  }
  const warnings = [...namesOf(call), ...ignoredBodies(routes)];
  const info = { title: "check", version: "0" };
  for (const warning of createDocument(routes, { info }).warnings) {
    // It begins with the file, in quotes.
    const [, path, message] = /^"(.*?)": (.*)$/s.exec(warning) ?? [];
    warnings.push({ path: path!, message: message! });
  }
  return [
    ...errors,
    ...warnings.map((each) => ({ level: "warning" as const, ...each })),
  ];
}

/** The warnings about names, which need no file to be imported. */
function namesOf(call: Call): Omit<Finding, "level">[] {
  const label = apiDirOf(call.positionals);
  const source = folderSource({ root: resolve(label), label });
  const prefix = (call.value("prefix") ?? "api").split("/").filter(Boolean);
  try {
    return treeWarnings(scanFiles({ source, prefix }, []));
  } catch (error) {
    // The folder itself cannot be read, which was found before.
    if (error instanceof RouteError) return [];
    throw error;
  }
}
