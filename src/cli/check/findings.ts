import type { Inspection } from "../../core/start/inspect.ts";
import { createDocument } from "../../shared/document/document.ts";
import { inMatchingOrder } from "../explain.ts";
import { Allowances } from "./allowances.ts";
import { contractWarnings } from "./contract_warnings.ts";
import { formatWarnings } from "./error_formats.ts";
import { methodWarnings } from "./method_warnings.ts";
import type { Finding } from "./rules.ts";
import {
  memberWarnings,
  paramWarnings,
  permissionWarnings,
  responseWarnings,
  toolWarnings,
  treeWarnings,
} from "./warnings.ts";

/**
 * Finds the errors and the likely mistakes of an application, except those that the type
 * checker finds.
 *
 * @param module The module of the application, whose comments allow warnings about
 * plugins.
 * @param allow The rules that options allow.
 * @returns The errors, the other warnings, and the number of allowed warnings.
 */
export async function findingsOf(
  inspection: Inspection,
  { module, allow = [] }: {
    readonly module?: string | undefined;
    readonly allow?: readonly string[];
  } = {},
): Promise<{
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly allowed: number;
}> {
  const { faults, files, middleware } = inspection;
  const allowances = new Allowances(allow, module);
  const all = await warningsOf(inspection);
  const warnings = all.filter((finding) => !allowances.allows(finding));
  const paths = [module ?? [], files.map(({ file }) => file), middleware];
  return {
    errors: faults.map(({ path, rule = "exports", reason: message }) => (
      { level: "error", rule, path, message }
    )),
    warnings: [
      ...warnings,
      ...allowances.faults(paths.flat(), faults.length === 0),
    ],
    allowed: all.length - warnings.length,
  };
}

async function warningsOf(inspection: Inspection): Promise<Finding[]> {
  const { warnings, files, routes } = inspection;
  const withSchema = inMatchingOrder(
    routes.filter(({ schema, contracts, errors }) =>
      Object.keys(schema).length > 0 || contracts.length > 0 ||
      errors !== undefined
    ),
  ).map(({ info }) => info);
  const info = { title: "check", version: "0" };
  return [
    ...warnings,
    ...treeWarnings(inMatchingOrder(files)),
    ...paramWarnings(withSchema),
    ...contractWarnings(withSchema),
    ...await methodWarnings(withSchema),
    ...await responseWarnings(withSchema),
    ...memberWarnings(withSchema),
    ...toolWarnings(withSchema),
    ...permissionWarnings(routes),
    ...await formatWarnings(inspection),
    ...createDocument(withSchema, { info }).warnings
      .map((each) => ({ rule: "document", ...each })),
  ].map((each) => ({ level: "warning", ...each }));
}
