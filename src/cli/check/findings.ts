import { unescaped } from "../../core/common/log.ts";
import type { Warning } from "../../core/start/discover.ts";
import type { Inspection } from "../../core/start/inspect.ts";
import { isGranted } from "../../core/start/permissions.ts";
import { createDocument } from "../../shared/document/document.ts";
import { inMatchingOrder } from "../explain.ts";
import type { Finding } from "./rules.ts";
import { schemaWarnings } from "./schema_warnings.ts";
import { securityWarnings } from "./security_warnings.ts";

/**
 * Finds the errors and the likely mistakes of an application.
 *
 * @param allow The rules that options allow in all files.
 * @returns The errors, the other warnings, and the number of allowed warnings.
 */
export async function findingsOf(
  inspection: Inspection,
  allow: readonly string[] = [],
): Promise<{
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly allowed: number;
}> {
  const all = await warningsOf(inspection);
  const warnings = all.filter(({ rule, path }) =>
    !allow.includes(rule) && !rulesAllowedIn(path).includes(rule)
  );
  return {
    errors: inspection.faults.map(({ path, rule = "exports", reason }) => (
      { level: "error", rule, path, message: reason }
    )),
    warnings: warnings.map((each) => ({ level: "warning", ...each })),
    allowed: all.length - warnings.length,
  };
}

async function warningsOf(inspection: Inspection): Promise<Warning[]> {
  const routes = inMatchingOrder(inspection.routes).map(({ info }) => info);
  const info = { title: "check", version: "0" };
  return [
    ...inspection.warnings,
    ...securityWarnings(routes),
    ...await schemaWarnings(routes),
    ...createDocument(routes, { info }).warnings
      .map((each) => ({ rule: "document", ...each })),
  ];
}

/** A comment that allows a rule: `// bough-allow route-name: a list of links`. */
const COMMENT = /^[ \t]*\/\/[ \t]*bough-allow[ \t]+([a-z-]+):[ \t]*\S/gm;

/** The rules that the comments of a file allow; none for a folder or a plugin. */
function rulesAllowedIn(path: string): readonly (string | undefined)[] {
  const value = unescaped(path);
  // Without the permission, Deno would prompt in a program that calls the check.
  if (!isGranted({ kind: "read", value })) return [];
  try {
    const text = Deno.readTextFileSync(value);
    return [...text.matchAll(COMMENT)].map(([, rule]) => rule);
  } catch {
    return [];
  }
}
