import {
  BOOLEAN,
  FUNCTION,
  listOf,
  matching,
  NAME,
  object,
  oneOf,
  optionError,
  type OptionForm,
  STRING,
  STRINGS,
  withDefaults,
} from "../common/forms.ts";
import type { ErrorFormat } from "../errors.ts";
import { programFault } from "../common/log.ts";
import { folderOf } from "../common/paths.ts";
import { isObject } from "../common/values.ts";
import { PERMISSIONS } from "./permissions.ts";
import type { RoutePermissions } from "../types/permissions.ts";
import {
  BODY_LIMIT,
  ERROR_FORMAT,
  INVALID_PARAMS,
  MIDDLEWARE,
} from "./modules.ts";
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
  RouteManifest,
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
    apiDir,
    load,
    manifest,
    apiPrefix,
    bodyLimit,
    bodyTimeout,
    ...others
  } = withDefaults(options as AllOptions, OPTIONS);
  const isTrusted = createOriginCheck(others.trustedOrigins);
  return {
    ...others,
    source: manifest === undefined
      ? folderSource(folderOf(apiDir!), load)
      : manifestSource(manifest),
    prefix: apiPrefix.split("/").filter((segment) => segment !== ""),
    bodyRules: {
      limit: bodyLimit,
      timeout: bodyTimeout,
      refuse: createCrossSiteCheck(isTrusted),
    },
    connections: new OpenConnections(),
    isTrusted,
    allowedHosts: others.allowedHosts && new AllowedHosts(others.allowedHosts),
    middleware: others.middleware.map((run, index) => ({
      run,
      file: `option middleware[${index}]`,
    })),
    permissions: others.permissions ?? {},
    observer: undefined,
  };
}

type AllOptions =
  & CommonOptions
  & Omit<FolderOptions, "manifest">
  & { manifest?: RouteManifest };

const PLUGIN = {
  ...object(
    {
      name: { ...STRING, isRequired: true },
      routes: { ...FUNCTION, isRequired: true },
      check: FUNCTION,
      unmatched: FUNCTION,
      permissions: PERMISSIONS,
    },
    "must be a plugin, such as openapi({ ... })",
  ),
  isOpen: true,
  allowsUndefined: true,
};

/**
 * Declares each option: the values that Bough accepts, the default, and the rule. The
 * doc comment of the option is its description.
 */
export const OPTIONS = {
  apiDir: {
    accepts: (value) =>
      value instanceof URL ? value.protocol === "file:" : NAME.accepts(value),
    expected:
      'must be the path or "file:" URL of the folder of your routes, such as "api"',
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
    // A request cannot have the other characters, nor the segments "." and "..".
    ...matching(
      /^(?!.*(?:^|\/)\.\.?(?:\/|$))[^[\]()\\%?#\t\n\r]*$/,
      'must have static segments without escapes, such as "api/v1"',
    ),
    default: "api",
    rule: "9.1",
  },
  lazy: { ...BOOLEAN, default: false, rule: "9.4" },
  bodyLimit: { ...BODY_LIMIT, default: 1_048_576, rule: "7.3" },
  bodyTimeout: {
    accepts: (value) => typeof value === "number" && value > 0,
    expected: "must be a number of milliseconds above 0",
    default: 30_000,
    rule: "7.4",
  },
  invalidParams: { ...INVALID_PARAMS, default: 400, rule: "7.1" },
  validateResponses: {
    ...oneOf(true, false, "warn"),
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
    ...listOf(MIDDLEWARE, "must be an array of functions (request, next)"),
    default: [],
    rule: "10.1",
  },
  permissions: { ...PERMISSIONS, rule: "9.9" },
  errors: { ...ERROR_FORMAT, rule: "8.9" },
  onError: { ...FUNCTION, rule: "8.3" },
  onNotFound: { ...FUNCTION, rule: "8.3" },
  plugins: {
    ...listOf(
      PLUGIN,
      "must be an array of plugins, such as [openapi({ ... })]",
    ),
    default: [],
    rule: "10.5",
  },
} satisfies {
  readonly [Name in keyof AllOptions]-?: OptionForm<AllOptions[Name]>;
};

/** Checks each option, and requires either `apiDir` or `manifest`. */
function checkOptions(options: FrameworkOptions): void {
  if (!isObject(options)) {
    throw optionFault(`options are missing; pass { apiDir: "api" }`);
  }
  const error = optionError(DOING, options, OPTIONS);
  if (error !== undefined) throw programFault(error);
  const { apiDir, load, manifest } = options as Partial<AllOptions>;
  if (manifest === undefined && apiDir === undefined) {
    throw optionFault(`apiDir ${OPTIONS.apiDir.expected}`);
  }
  if (manifest !== undefined && (apiDir ?? load) !== undefined) {
    throw optionFault(
      "manifest replaces apiDir and load; pass either manifest or apiDir",
    );
  }
}

const DOING = "create the Framework";

function optionFault(reason: string): TypeError {
  return programFault(new TypeError(`Cannot ${DOING}: ${reason}`));
}
