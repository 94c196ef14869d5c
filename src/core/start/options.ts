import {
  arrayOf,
  BOOLEAN,
  findOptionFault,
  FUNCTION,
  type OptionDeclaration,
  STRINGS,
} from "../common/option_table.ts";
import { type ErrorFormat, isErrorFormat } from "../errors.ts";
import { programFault } from "../common/log.ts";
import { folderOf } from "../common/paths.ts";
import { isObject } from "../common/values.ts";
import { isPermissions } from "./permissions.ts";
import type { RoutePermissions } from "../types/permissions.ts";
import { BODY_LIMIT, INVALID_PARAMS } from "./route_module.ts";
import { OpenConnections } from "../request/connections.ts";
import {
  AllowedHosts,
  createCrossSiteCheck,
  createOriginCheck,
} from "../request/origins.ts";
import type { Observer, Settings } from "../request/application.ts";
import { folderSource, manifestSource, type RouteSource } from "./source.ts";
import type {
  CommonOptions,
  FolderOptions,
  FrameworkOptions,
  ManifestOptions,
} from "../types/options.ts";
import type { Plugin } from "../types/plugin.ts";

/** The checked options, with their defaults. */
export interface ResolvedOptions extends Settings {
  /** The source of the route files. */
  readonly source: RouteSource;
  /** The segments of `apiPrefix`. */
  readonly prefix: readonly string[];
  readonly lazy: boolean;
  readonly exitOnUncaughtError: boolean;
  readonly plugins: readonly Plugin[];
  readonly permissions: RoutePermissions;
  readonly errors: ErrorFormat | undefined;
  readonly rewrite: CommonOptions["rewrite"];
  readonly serverTiming: boolean;
  /** Observes requests for a tool of development, if one is used. */
  readonly observer: Observer | undefined;
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {TypeError} If an option is unknown, or its value is invalid.
 */
export function resolveOptions(options: FrameworkOptions): ResolvedOptions {
  checkOptions(options);
  const {
    allowedHosts,
    apiPrefix = OPTIONS.apiPrefix.default,
    bodyLimit = OPTIONS.bodyLimit.default,
    bodyTimeout = OPTIONS.bodyTimeout.default,
    middleware = OPTIONS.middleware.default,
    trustedOrigins = OPTIONS.trustedOrigins.default,
  } = options;
  const isTrusted = createOriginCheck(trustedOrigins);
  return {
    source: resolveSource(options),
    prefix: resolvePrefix(apiPrefix),
    lazy: options.lazy ?? OPTIONS.lazy.default,
    bodyRules: {
      limit: bodyLimit,
      timeout: bodyTimeout,
      raw: false,
      refuse: createCrossSiteCheck(isTrusted),
    },
    connections: new OpenConnections(),
    isTrusted,
    validateResponses: options.validateResponses ??
      OPTIONS.validateResponses.default,
    sendUndeclared: options.sendUndeclared ?? OPTIONS.sendUndeclared.default,
    serverTiming: options.serverTiming ?? OPTIONS.serverTiming.default,
    exitOnUncaughtError: options.exitOnUncaughtError ??
      OPTIONS.exitOnUncaughtError.default,
    plugins: options.plugins ?? OPTIONS.plugins.default,
    allowedHosts: allowedHosts && new AllowedHosts(allowedHosts),
    middleware: middleware.map((run, index) => ({
      run,
      file: `option middleware[${index}]`,
    })),
    permissions: options.permissions ?? {},
    errors: options.errors,
    rewrite: options.rewrite,
    invalidParams: options.invalidParams ?? OPTIONS.invalidParams.default,
    observer: undefined,
    onError: options.onError,
    onNotFound: options.onNotFound,
  };
}

function resolveSource(
  { apiDir, load, manifest }: FolderOptions | ManifestOptions,
): RouteSource {
  if (manifest === undefined) {
    if (typeof apiDir === "string" || apiDir.protocol === "file:") {
      return folderSource(folderOf(apiDir), load);
    }
    throw optionFault(
      `apiDir must be a path or a "file:" URL, got "${apiDir}"`,
    );
  }
  if (apiDir === undefined && load === undefined) {
    return manifestSource(manifest);
  }
  throw optionFault(
    "manifest replaces apiDir and load; pass either manifest or apiDir",
  );
}

function resolvePrefix(apiPrefix: string): string[] {
  const segments = apiPrefix.split("/").filter((segment) => segment !== "");
  for (const segment of segments) {
    if (/[[\]()]/.test(segment)) {
      throw optionFault(
        `apiPrefix "${apiPrefix}" has a bracket; write static segments only`,
      );
    }
    if (/[\\%?#\t\n\r]|^\.\.?$/.test(segment)) {
      throw optionFault(
        `apiPrefix "${apiPrefix}" has "${segment}", which matches no request; write plain, unescaped segments`,
      );
    }
  }
  return segments;
}

type AllOptions = CommonOptions & FolderOptions;

/**
 * Declares each option: the values that Bough accepts, the default, and the rule. The
 * doc comment of the option is its description.
 */
export const OPTIONS = {
  apiDir: {
    accepts: (value) =>
      value instanceof URL || (typeof value === "string" && value !== ""),
    expected: 'must name the folder of your routes, such as "api"',
    rule: "9.1",
  },
  load: { ...FUNCTION, rule: "9.4" },
  manifest: {
    // Reject the namespace of a manifest module, whose member "default" is the
    // manifest.
    accepts: (value) => isObject(value) && !Object.hasOwn(value, "default"),
    expected:
      'must be the default export of a module that "bough build" wrote, as in import manifest from "./api.manifest.ts"',
    rule: "9.4",
  },
  apiPrefix: {
    accepts: (value) => typeof value === "string",
    expected: 'must be a string, such as "api"',
    default: "api",
    rule: "9.1",
  },
  lazy: { ...BOOLEAN, default: false, rule: "9.4" },
  bodyLimit: { ...BODY_LIMIT, default: 1_048_576, rule: "7.3" },
  bodyTimeout: {
    accepts: (value) => typeof value === "number" && value > 0,
    expected: "must be a number of milliseconds above 0",
    shown: true,
    default: 30_000,
    rule: "7.4",
  },
  invalidParams: { ...INVALID_PARAMS, default: 400, rule: "7.1" },
  validateResponses: {
    accepts: (value) => typeof value === "boolean" || value === "warn",
    expected: 'must be true, false or "warn"',
    shown: true,
    default: false,
    rule: "7.7",
  },
  sendUndeclared: { ...BOOLEAN, default: false, rule: "7.9" },
  serverTiming: { ...BOOLEAN, default: false, rule: "8.10" },
  exitOnUncaughtError: { ...BOOLEAN, default: false, rule: "8.5" },
  allowedHosts: { ...STRINGS, rule: "1.6" },
  rewrite: { ...FUNCTION, rule: "1.7" },
  trustedOrigins: { ...STRINGS, default: [], rule: "7.2" },
  middleware: {
    ...arrayOf(
      {
        ...FUNCTION,
        expected: "must be a function (request, next)",
        shown: true,
      },
      "must be an array of functions (request, next)",
    ),
    default: [],
    rule: "10.1",
  },
  permissions: {
    accepts: isPermissions,
    expected:
      'must list what the application uses, such as { net: ["api.example.com"], env: ["API_KEY"] }',
    rule: "9.9",
  },
  errors: {
    accepts: isErrorFormat,
    expected: "must be a result of errorFormat()",
    rule: "8.9",
  },
  onError: { ...FUNCTION, rule: "8.3" },
  onNotFound: { ...FUNCTION, rule: "8.3" },
  plugins: {
    ...arrayOf(
      {
        accepts: (value) =>
          isObject(value) && typeof value.name === "string" &&
          typeof value.routes === "function",
        expected: "must be a plugin, such as openapi({ ... })",
        shown: true,
      },
      "must be an array of plugins, such as [openapi({ ... })]",
    ),
    default: [],
    rule: "10.5",
  },
} satisfies {
  readonly [Name in keyof AllOptions]-?: OptionDeclaration<AllOptions[Name]>;
};

/** Checks each option, and requires `apiDir` or `manifest`. */
function checkOptions(options: unknown): void {
  if (!isObject(options)) {
    throw optionFault(`options are missing; pass { apiDir: "api" }`);
  }
  const reason = findOptionFault(options, OPTIONS);
  if (reason !== undefined) throw optionFault(reason);
  const { apiDir, manifest } = options as Partial<FolderOptions>;
  if (apiDir === undefined && manifest === undefined) {
    throw optionFault(`apiDir ${OPTIONS.apiDir.expected}`);
  }
}

function optionFault(reason: string): TypeError {
  return programFault(new TypeError(`Cannot create the Framework: ${reason}`));
}
