import { isBodyLimit } from "../routes/config_export.ts";
import { isObject } from "../routes/kind.ts";
import {
  BOOLEAN,
  findOptionFault,
  FUNCTION,
  isArrayOf,
  type OptionTable,
  STRINGS,
} from "./option_table.ts";
import { isPermissions } from "../routes/permissions_export.ts";
import type { CommonOptions, FolderOptions } from "./options.ts";

/** Every option of the constructor, for a folder and for a manifest. */
const OPTIONS: OptionTable<keyof CommonOptions | keyof FolderOptions> = {
  apiDir: {
    accepts: (value) =>
      value instanceof URL || (typeof value === "string" && value !== ""),
    expected: 'must name the folder of your routes, such as "api"',
  },
  load: FUNCTION,
  manifest: {
    accepts: isObject,
    expected: 'must be the default export of a module that "bough build" wrote',
  },
  apiPrefix: {
    accepts: (value) => typeof value === "string",
    expected: 'must be a string, such as "api"',
  },
  lazy: BOOLEAN,
  bodyLimit: {
    accepts: isBodyLimit,
    expected: "must be a number of bytes",
    shown: true,
  },
  bodyTimeout: {
    accepts: (value) => typeof value === "number" && value > 0,
    expected: "must be a number of milliseconds above 0",
    shown: true,
  },
  validateResponses: {
    accepts: (value) => typeof value === "boolean" || value === "warn",
    expected: 'must be true, false or "warn"',
    shown: true,
  },
  serverTiming: BOOLEAN,
  exitOnUncaughtError: BOOLEAN,
  allowedHosts: STRINGS,
  trustedOrigins: STRINGS,
  middleware: {
    accepts: (value) => isArrayOf(value, FUNCTION.accepts),
    expected: "must be an array of functions (request, next)",
  },
  permissions: {
    accepts: isPermissions,
    expected:
      'must have lists of what the application uses, such as { net: ["api.example.com"], env: ["API_KEY"] }',
  },
  onError: FUNCTION,
  onNotFound: FUNCTION,
  plugins: {
    accepts: (value) =>
      isArrayOf(
        value,
        (each) =>
          isObject(each) && typeof each.name === "string" &&
          typeof each.routes === "function",
      ),
    expected: "must be an array of plugins, such as [openapi({ ... })]",
  },
};

/**
 * Checks each option of the constructor by itself. `resolveOptions` checks those that
 * depend on each other.
 *
 * @throws {TypeError} If an option is unknown, or its value invalid.
 */
export function checkOptions(options: unknown): void {
  if (typeof options !== "object" || options === null) {
    throw optionFault(`options are missing; pass { apiDir: "api" }`);
  }
  const reason = findOptionFault(options, OPTIONS);
  if (reason !== undefined) throw optionFault(reason);
  const { apiDir, manifest } = options as Partial<FolderOptions>;
  if (apiDir === undefined && manifest === undefined) {
    throw optionFault(`apiDir ${OPTIONS.apiDir.expected}`);
  }
}

/** The error for invalid options. */
export function optionFault(reason: string): TypeError {
  return new TypeError(`Cannot create the Framework: ${reason}`);
}
