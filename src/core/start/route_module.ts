import {
  isNear,
  type OptionDeclaration,
  type OptionKind,
} from "../common/option_table.ts";
import {
  formatValue,
  isObject,
  isStandardSchema,
  kindOf,
  quoted,
} from "../common/values.ts";
import { isErrorFormat } from "../errors.ts";
import { ifValid, type Report } from "../common/faults.ts";
import { isMethod, type Method, METHODS } from "../methods.ts";
import { SCHEMA_PARTS } from "../schema/check_request.ts";
import type { Handler } from "../types/request.ts";
import type { RouteSchema } from "../types/schema.ts";
import { isPermissions } from "./permissions.ts";
import { checkSchema } from "./schema_export.ts";

/** The exports of a file, as `import()` returns them. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/** The `config` export of a route file. */
export interface FileConfig {
  /**
   * The size of the largest body that the route buffers, in bytes.
   *
   * @default the option `bodyLimit`
   */
  readonly bodyLimit?: number;
  /**
   * The status for a value in the path that violates a schema of `params`: 400, or 404
   * as for a path without a route.
   *
   * @default the option `invalidParams`
   */
  readonly invalidParams?: 400 | 404;
}

/** The checked exports of a route file. */
export interface RouteModule {
  readonly handlers: ReadonlyMap<Method, Handler>;
  readonly schema: RouteSchema;
  readonly config: FileConfig;
}

/**
 * Checks the exports of a route file: handlers, `schema` and `config`. Reports
 * misspellings of these names, since a silently ignored `get` or `schemas` is hard to
 * find. Ignores other exports.
 */
export function checkModule(
  exports: ModuleExports,
  report: Report,
): RouteModule | undefined {
  return ifValid(report, (report) => {
    const handlers = checkHandlers(exports, report);
    checkMisnamed(
      exports,
      ["schema", "config", "permissions", "middleware"],
      report,
    );
    checkMisplaced(exports, "contract", report);
    checkMisplaced(exports, "errors", report);
    return {
      handlers,
      schema: checkSchema(exports.schema, handlers, report),
      config: checkConfig(exports.config, report),
    };
  });
}

function checkHandlers(
  exports: ModuleExports,
  report: Report,
): Map<Method, Handler> {
  const handlers = new Map<Method, Handler>();
  let misnamed = 0;
  for (const name of Object.keys(exports)) {
    const value = exports[name];
    if (isMethod(name)) {
      if (typeof value !== "function") {
        const found = `export "${name}" is ${kindOf(value)}`;
        report(
          `${found}; it must be a function that takes a request and returns a Response`,
        );
      }
      handlers.set(name, value as Handler);
      continue;
    }
    const hint = misnamedHandler(name, value);
    if (hint === undefined) continue;
    report(`export "${name}" is not a handler: ${hint}`);
    misnamed++;
  }
  if (handlers.size === 0 && misnamed === 0) {
    report(
      `no handler is exported; export a function named ${METHODS.join(", ")}`,
    );
  }
  return handlers;
}

/** The largest size of a body; `Infinity` allows every size. */
export const BODY_LIMIT: OptionKind = {
  accepts: (value) =>
    value === Infinity || (Number.isInteger(value) && value as number >= 0),
  expected: "must be a whole number of bytes, 0 or more",
  shown: true,
};

/** The status for a value in the path that violates its schema. */
export const INVALID_PARAMS: OptionKind = {
  accepts: (value) => value === 400 || value === 404,
  expected: "must be 400 or 404",
  shown: true,
};

/** Declares each setting of a file. */
export const SETTINGS = {
  bodyLimit: { ...BODY_LIMIT, rule: "7.3" },
  invalidParams: { ...INVALID_PARAMS, rule: "7.1" },
} satisfies {
  readonly [Name in keyof FileConfig]-?: OptionDeclaration<FileConfig[Name]>;
};

const SETTING_NAMES = Object.keys(SETTINGS) as (keyof FileConfig)[];

function checkConfig(config: unknown, report: Report): FileConfig {
  if (config === undefined) return {};
  if (!isObject(config)) {
    const found = `export "config" is ${kindOf(config)}`;
    report(`${found}; it must be an object such as { bodyLimit: 50_000_000 }`);
    return {};
  }
  for (const [key, value] of Object.entries(config)) {
    const name = SETTING_NAMES.find((name) => name === key);
    if (name === undefined) {
      report(`config.${key} is unknown; config has ${quoted(SETTING_NAMES)}`);
    } else if (!SETTINGS[name].accepts(value)) {
      const { expected } = SETTINGS[name];
      report(`config.${key} ${expected}, got ${formatValue(value)}`);
    }
  }
  return config;
}

/** Returns the fix for an export whose name only resembles a method. */
function misnamedHandler(name: string, value: unknown): string | undefined {
  if (name === "default") {
    return 'export handlers by the name of their method, such as "GET"';
  }
  const upper = name.toUpperCase();
  if (upper === "TRACE" || upper === "CONNECT") {
    return typeof value === "function" || name === upper
      ? `routes handle ${METHODS.join(", ")}`
      : undefined;
  }
  // Only a function may be meant as a handler, so a constant named `options` is not
  // reported.
  return isMethod(upper) && typeof value === "function"
    ? `name it "${upper}", in uppercase`
    : undefined;
}

/**
 * Reports misnamed exports without effect: `schemas` or `Schema` instead of `schema`,
 * `permission` instead of `permissions`. Checks the form of the value, since the
 * program may use an export such as `schemas = { user }` itself.
 *
 * @param known The names that this kind of file may export.
 */
export function checkMisnamed(
  exports: ModuleExports,
  known: readonly (keyof typeof FORMS)[],
  report: Report,
): void {
  // Read only the keys, since reading all exports of 1,000 files in a bundle takes 10
  // ms.
  for (const name of Object.keys(exports)) {
    if (isMethod(name) || (known as readonly string[]).includes(name)) continue;
    const letters = name.toLowerCase().replaceAll(/[^a-z]/g, "");
    for (const meant of known) {
      if (letters !== meant && !isNear(letters, meant)) continue;
      const value = exports[name];
      if (value === exports[meant] || !FORMS[meant](value, exports)) continue;
      report(`export "${name}" has no effect; name it "${meant}"`);
    }
  }
}

/** The end of the message about an export in the wrong kind of file. */
const MISPLACED = {
  contract:
    "in a route file; move it to the middleware file of a folder, or its members to schema",
  errors:
    "in a route file; export it from the middleware file of a folder, or pass it in the option errors",
  schema: 'in a middleware file; name it "contract"',
};

/**
 * Reports a contract in a route file, and an export `schema` in a middleware file,
 * since they have no effect. Checks that the members are schemas, since the program may
 * use an export such as `contract = { tags }` itself.
 *
 * @param name The name that has no effect in this kind of file.
 */
export function checkMisplaced(
  exports: ModuleExports,
  name: keyof typeof MISPLACED,
  report: Report,
): void {
  const value = exports[name];
  if (!isObject(value) || isStandardSchema(value)) return;
  const checks = isErrorFormat(value) ||
    SCHEMA_PARTS.some((part) => isStandardSchema(value[part]));
  if (checks) report(`export "${name}" has no effect ${MISPLACED[name]}`);
}

/** Checks whether a value has the form of an export, by the name of the export. */
const FORMS = {
  schema: looksLikeSchema,
  config: (value: unknown) =>
    isObject(value) && SETTING_NAMES.some((name) => name in value),
  contract: (value: unknown) =>
    isObject(value) && !isStandardSchema(value) &&
    ["security", "headers", "query", "params", "response", "tags"]
      .some((member) => member in value),
  errors: isErrorFormat,
  permissions: (value: unknown) =>
    isPermissions(value) && Object.keys(value).length > 0,
  middleware: (value: unknown): boolean =>
    isObject(value)
      ? Object.entries(value).some(([key, list]) =>
        isMethod(key) && Array.isArray(list)
      )
      : [value].flat().some((each) => typeof each === "function"),
};

/**
 * Whether a value has the form of the export `schema`. If `schema` is also exported,
 * `schemas = { params, body }` may contain its parts.
 */
function looksLikeSchema(value: unknown, exports: ModuleExports): boolean {
  if (!isObject(value) || isStandardSchema(value)) return false;
  return Object.entries(value).some(([key, member]) =>
    isMethod(key.toUpperCase())
      ? isObject(member) && !isStandardSchema(member)
      : !("schema" in exports) && isStandardSchema(member) &&
        SCHEMA_PARTS.some((part) => part === key)
  );
}
