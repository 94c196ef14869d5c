import type { Application } from "../http/application.ts";
import type { BodyRules } from "../http/body/rules.ts";
import {
  createCrossSiteCheck,
  createOriginCheck,
} from "../http/body/cross_site.ts";
import type { NotFoundHandler } from "../http/handler.ts";
import { AllowedHosts } from "../http/host.ts";
import type { PlacedMiddleware } from "../http/middleware.ts";
import { OpenConnections } from "../http/open_connections.ts";
import { checkOptions, optionFault } from "./check_options.ts";
import type {
  FolderOptions,
  FrameworkOptions,
  ManifestOptions,
} from "./options.ts";
import type { Plugin } from "./plugin.ts";
import { folderOf, type LabelledFolder } from "../routes/paths.ts";
import type { RoutePermissions } from "../routes/permissions_export.ts";
import { manifestSource } from "../routes/manifest.ts";
import { folderSource, type RouteSource } from "../routes/source.ts";

/** The options, checked and with their defaults. */
export interface ResolvedOptions extends Application {
  /** Where the files come from. */
  readonly source: RouteSource;
  /** The segments of `apiPrefix`. */
  readonly prefix: readonly string[];
  /** See {@linkcode CommonOptions.lazy}. */
  readonly lazy: boolean;
  /** Made of `bodyLimit`, `bodyTimeout` and `trustedOrigins`. */
  readonly bodyRules: BodyRules;
  /** See {@linkcode CommonOptions.exitOnUncaughtError}. */
  readonly exitOnUncaughtError: boolean;
  /** See {@linkcode CommonOptions.plugins}. */
  readonly plugins: readonly Plugin[];
  /** See {@linkcode CommonOptions.allowedHosts}. */
  readonly allowedHosts: AllowedHosts | undefined;
  /** See {@linkcode CommonOptions.middleware}. */
  readonly middleware: readonly PlacedMiddleware[];
  /** See {@linkcode CommonOptions.permissions}. */
  readonly permissions: RoutePermissions;
  /** See {@linkcode CommonOptions.onNotFound}. */
  readonly onNotFound: NotFoundHandler | undefined;
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {TypeError} If an option is unknown, or its value invalid.
 */
export function resolveOptions(options: FrameworkOptions): ResolvedOptions {
  checkOptions(options);
  const { allowedHosts, middleware = [] } = options;
  const isTrusted = createOriginCheck(options.trustedOrigins ?? []);
  return {
    source: resolveSource(options),
    prefix: resolvePrefix(options.apiPrefix ?? "api"),
    lazy: options.lazy ?? false,
    bodyRules: {
      limit: options.bodyLimit ?? 1024 * 1024,
      timeout: options.bodyTimeout ?? 30_000,
      raw: false,
      refuse: createCrossSiteCheck(isTrusted),
    },
    connections: new OpenConnections(),
    isTrusted,
    validateResponses: options.validateResponses ?? false,
    serverTiming: options.serverTiming ?? false,
    exitOnUncaughtError: options.exitOnUncaughtError ?? false,
    plugins: options.plugins ?? [],
    allowedHosts: allowedHosts && new AllowedHosts(allowedHosts),
    middleware: middleware.map((run, index) => ({
      run,
      file: `option middleware[${index}]`,
    })),
    permissions: options.permissions ?? {},
    onError: options.onError,
    onNotFound: options.onNotFound,
  };
}

function resolveSource(
  { apiDir, load, manifest }: FolderOptions | ManifestOptions,
): RouteSource {
  if (manifest === undefined) return folderSource(folderAt(apiDir), load);
  if (apiDir === undefined && load === undefined) {
    return manifestSource(manifest);
  }
  throw optionFault(
    "manifest takes the place of apiDir and load; pass one of them",
  );
}

function folderAt(apiDir: string | URL): LabelledFolder {
  if (typeof apiDir === "string" || apiDir.protocol === "file:") {
    return folderOf(apiDir);
  }
  throw optionFault(`apiDir must be a path or a "file:" URL, got "${apiDir}"`);
}

function resolvePrefix(apiPrefix: string): string[] {
  const segments = apiPrefix.split("/").filter((segment) => segment !== "");
  for (const segment of segments) {
    if (/[[\]()]/.test(segment)) {
      throw optionFault(
        `apiPrefix "${apiPrefix}" holds a bracket; a prefix has static segments only`,
      );
    }
    if (/[\\%?#\t\n\r]|^\.\.?$/.test(segment)) {
      throw optionFault(
        `apiPrefix "${apiPrefix}" holds "${segment}", which no path reaches; write plain, unescaped segments`,
      );
    }
  }
  return segments;
}
