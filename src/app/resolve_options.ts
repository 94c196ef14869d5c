import type { BodyRules } from "../http/body/rules.ts";
import { createCrossSiteCheck } from "../http/body/cross_site.ts";
import type { ErrorHandler } from "../http/failure.ts";
import type { NotFoundHandler } from "../http/handler.ts";
import { AllowedHosts } from "../http/host.ts";
import type { Middleware, PlacedMiddleware } from "../http/middleware.ts";
import type {
  CommonOptions,
  FolderOptions,
  FrameworkOptions,
  ManifestOptions,
} from "./options.ts";
import type { Plugin } from "./plugin.ts";
import { isObject } from "../routes/kind.ts";
import { isBodyLimit } from "../routes/config_export.ts";
import { folderOf, type LabelledFolder } from "../routes/paths.ts";
import { manifestSource } from "../routes/manifest.ts";
import { folderSource, type RouteSource } from "../routes/source.ts";

/** The options as the rest of the application uses them, checked. */
export interface ResolvedOptions {
  /** Where the files come from. */
  readonly source: RouteSource;
  /** The segments of `apiPrefix`. */
  readonly prefix: readonly string[];
  /** See {@linkcode CommonOptions.lazy}. */
  readonly lazy: boolean;
  /** What `bodyLimit`, `bodyTimeout` and `trustedOrigins` come to. */
  readonly bodyRules: BodyRules;
  /** See {@linkcode CommonOptions.validateResponses}. */
  readonly validateResponses: boolean | "warn";
  /** See {@linkcode CommonOptions.serverTiming}. */
  readonly serverTiming: boolean;
  /** See {@linkcode CommonOptions.plugins}. */
  readonly plugins: readonly Plugin[];
  /** See {@linkcode CommonOptions.allowedHosts}. */
  readonly allowedHosts: AllowedHosts | undefined;
  /** See {@linkcode CommonOptions.middleware}. */
  readonly middleware: readonly PlacedMiddleware[];
  /** See {@linkcode CommonOptions.onError}. */
  readonly onError: ErrorHandler | undefined;
  /** See {@linkcode CommonOptions.onNotFound}. */
  readonly onNotFound: NotFoundHandler | undefined;
}

const KNOWN: {
  readonly [Name in keyof CommonOptions | keyof FolderOptions]-?: true;
} = {
  apiDir: true,
  load: true,
  manifest: true,
  apiPrefix: true,
  lazy: true,
  bodyLimit: true,
  bodyTimeout: true,
  validateResponses: true,
  serverTiming: true,
  allowedHosts: true,
  trustedOrigins: true,
  middleware: true,
  onError: true,
  onNotFound: true,
  plugins: true,
};

const DEFAULT_BODY_LIMIT = 1024 * 1024;
const DEFAULT_BODY_TIMEOUT = 30_000;

/**
 * Checks the options and puts in the defaults.
 *
 * @throws {TypeError} If an option is unknown or has no sound value.
 */
export function resolveOptions(options: FrameworkOptions): ResolvedOptions {
  if (typeof options !== "object" || options === null) {
    throw fault(`options are missing; pass { apiDir: "api" }`);
  }
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(KNOWN, name)) {
      const known = Object.keys(KNOWN).map((name) => `"${name}"`).join(", ");
      throw fault(`option "${name}" is not known; the options are ${known}`);
    }
  }
  const { bodyLimit = DEFAULT_BODY_LIMIT } = options;
  if (!isBodyLimit(bodyLimit)) {
    throw fault(`bodyLimit must be a number of bytes, got ${bodyLimit}`);
  }
  const { validateResponses = false, bodyTimeout = DEFAULT_BODY_TIMEOUT } =
    options;
  if (!(bodyTimeout > 0)) {
    throw fault(
      `bodyTimeout must be a number of milliseconds above 0, got ${bodyTimeout}`,
    );
  }
  if (typeof validateResponses !== "boolean" && validateResponses !== "warn") {
    throw fault(
      `validateResponses must be true, false or "warn", got ${validateResponses}`,
    );
  }
  const { serverTiming = false } = options;
  if (typeof serverTiming !== "boolean") {
    throw fault(`serverTiming must be true or false, got ${serverTiming}`);
  }
  const { allowedHosts, trustedOrigins = [] } = options;
  return {
    source: resolveSource(options),
    prefix: resolvePrefix(options.apiPrefix ?? "api"),
    lazy: options.lazy ?? false,
    bodyRules: {
      limit: bodyLimit,
      timeout: bodyTimeout,
      raw: false,
      refuse: createCrossSiteCheck(
        resolveStrings("trustedOrigins", trustedOrigins),
      ),
    },
    validateResponses,
    serverTiming,
    plugins: resolvePlugins(options.plugins),
    allowedHosts: allowedHosts === undefined
      ? undefined
      : new AllowedHosts(resolveStrings("allowedHosts", allowedHosts)),
    middleware: resolveMiddleware(options.middleware),
    onError: resolveHook("onError", options.onError),
    onNotFound: resolveHook("onNotFound", options.onNotFound),
  };
}

function resolveSource(
  { apiDir, load, manifest }: FolderOptions | ManifestOptions,
): RouteSource {
  if (manifest === undefined) {
    const loader = resolveHook("load", load);
    return folderSource(resolveApiDir(apiDir), loader);
  }
  if (apiDir !== undefined || load !== undefined) {
    throw fault(
      "manifest takes the place of apiDir and load; pass one of them",
    );
  }
  if (!isObject(manifest)) {
    throw fault(
      `manifest must be the default export of a module that "bough build" wrote`,
    );
  }
  return manifestSource(manifest);
}

function resolveApiDir(apiDir: unknown): LabelledFolder {
  if (apiDir instanceof URL) {
    if (apiDir.protocol !== "file:") {
      throw fault(`apiDir must be a path or a "file:" URL, got "${apiDir}"`);
    }
  } else if (typeof apiDir !== "string" || apiDir === "") {
    throw fault(`apiDir must name the folder of your routes, such as "api"`);
  }
  return folderOf(apiDir);
}

function resolvePrefix(apiPrefix: unknown): string[] {
  if (typeof apiPrefix !== "string") {
    throw fault(`apiPrefix must be a string, such as "api"`);
  }
  const segments = apiPrefix.split("/").filter((segment) => segment !== "");
  for (const segment of segments) {
    if (/[[\]()]/.test(segment)) {
      throw fault(
        `apiPrefix "${apiPrefix}" holds a bracket; a prefix has static segments only`,
      );
    }
    if (/[\\%?#\t\n\r]|^\.\.?$/.test(segment)) {
      throw fault(
        `apiPrefix "${apiPrefix}" holds "${segment}", which no path reaches; write plain, unescaped segments`,
      );
    }
  }
  return segments;
}

function resolveHook<Hook>(name: string, hook: Hook): Hook {
  if (hook !== undefined && typeof hook !== "function") {
    throw fault(`${name} must be a function`);
  }
  return hook;
}

function resolveStrings(name: string, value: unknown): readonly string[] {
  const isString = (each: unknown): each is string => typeof each === "string";
  if (Array.isArray(value) && value.every(isString)) return value;
  const got = isString(value) ? `"${value}"; write ["${value}"]` : value;
  throw fault(`${name} must be an array of strings, got ${got}`);
}

function resolveMiddleware(
  middleware: readonly Middleware[] = [],
): PlacedMiddleware[] {
  if (
    !Array.isArray(middleware) ||
    !middleware.every((each) => typeof each === "function")
  ) {
    throw fault(`middleware must be an array of functions (request, next)`);
  }
  return middleware.map((run, index) => ({
    run,
    file: `option middleware[${index}]`,
  }));
}

function resolvePlugins(plugins: unknown = []): readonly Plugin[] {
  const isPlugin = (value: unknown): value is Plugin =>
    isObject(value) && typeof value.name === "string" &&
    typeof value.routes === "function";
  if (Array.isArray(plugins) && plugins.every(isPlugin)) return plugins;
  throw fault(`plugins must be an array of plugins, such as [openapi({ … })]`);
}

function fault(reason: string): TypeError {
  return new TypeError(`Cannot create the Framework: ${reason}`);
}
