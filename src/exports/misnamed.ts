import { isNear } from "../common/option_table.ts";
import { isObject } from "../common/values.ts";
import type { Report } from "../faults.ts";
import { isMethod, METHODS } from "../methods.ts";
import { SCHEMA_PARTS } from "../schema/validate.ts";
import { isPermissions } from "./permissions.ts";

/** The exports of a file, as `import()` returns them. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/** Says how to mend an export that looks like a handler, but is not one. */
export function handlerSlip(name: string, value: unknown): string | undefined {
  if (name === "default") {
    return 'export handlers by the name of their method, such as "GET"';
  }
  const upper = name.toUpperCase();
  if (upper === "TRACE" || upper === "CONNECT") {
    return typeof value === "function" || name === upper
      ? `routes handle ${METHODS.join(", ")}`
      : undefined;
  }
  // Only a function: a constant named `options` is not meant as a handler.
  if (isMethod(upper) && typeof value === "function") {
    return `name it "${upper}", in uppercase`;
  }
  return undefined;
}

/**
 * Reports exports that are meant as `schema`, `config` or `permissions`, and have no
 * effect by their names: `schemas`, `Schema`, `permission`. Their values have to look like it, since
 * `export const schemas = { user }` may be somebody's own.
 *
 * @param known The names that this kind of file may export.
 */
export function checkSlips(
  exports: ModuleExports,
  known: readonly (keyof typeof FORMS)[],
  report: Report,
): void {
  // By keys: in a bundle, to read all exports of 1,000 files takes 10 ms.
  for (const name of Object.keys(exports)) {
    if (isMethod(name) || (known as readonly string[]).includes(name)) continue;
    const letters = name.toLowerCase().replaceAll(/[^a-z]/g, "");
    for (const wanted of known) {
      if (letters !== wanted && !isNear(letters, wanted)) continue;
      const value = exports[name];
      if (value === exports[wanted] || !FORMS[wanted](value, exports)) continue;
      report(`export "${name}" has no effect; name it "${wanted}"`);
    }
  }
}

/** What an export would be good for, by the kind of file that has no use for it. */
const MISPLACED = {
  contract:
    "in a route file; move it to the middleware file of a folder, or its members to schema",
  schema: 'in a middleware file; name it "contract"',
};

/**
 * Reports a contract in a route file, or in a middleware file under the name `schema`:
 * nothing would be checked. Its members have to be schemas, since `export const
 * contract = { tags }` may be somebody's own.
 *
 * @param name The name that this kind of file has no use for.
 */
export function checkMisplaced(
  exports: ModuleExports,
  name: keyof typeof MISPLACED,
  report: Report,
): void {
  const value = exports[name];
  if (!isObject(value) || isSchema(value)) return;
  const checks = SCHEMA_PARTS.some((part) => isSchema(value[part]));
  if (checks) report(`export "${name}" has no effect ${MISPLACED[name]}`);
}

/** Whether a value has the form of an export, by the name of the export. */
const FORMS = {
  schema: looksLikeSchema,
  config: looksLikeConfig,
  contract: looksLikeContract,
  permissions: looksLikePermissions,
};

/**
 * Whether a value has the form of the export `schema`. Where that is exported, too,
 * `schemas = { params, body }` may be what it is made of.
 */
function looksLikeSchema(value: unknown, exports: ModuleExports): boolean {
  if (!isObject(value) || isSchema(value)) return false;
  return Object.entries(value).some(([key, member]) =>
    isMethod(key.toUpperCase())
      ? isObject(member) && !isSchema(member)
      : !("schema" in exports) && isSchema(member) &&
        SCHEMA_PARTS.some((part) => part === key)
  );
}

function isSchema(value: unknown): boolean {
  return (typeof value === "object" || typeof value === "function") &&
    value !== null && "~standard" in value;
}

function looksLikeConfig(value: unknown): boolean {
  return isObject(value) && ("bodyLimit" in value || "rawBody" in value);
}

function looksLikeContract(value: unknown): boolean {
  return isObject(value) && !isSchema(value) &&
    ["security", "headers", "query", "params", "response", "tags"]
      .some((member) => member in value);
}

function looksLikePermissions(value: unknown): boolean {
  return isPermissions(value) && Object.keys(value).length > 0;
}
