/**
 * The permissions that a file needs: the export `permissions` of a route file or a
 * middleware file, or the option `permissions`. Each member is a list of values for the
 * flag of the same name, or `true` for all values. Paths are relative to the working
 * directory, or `file:` URLs, as a `URL` or as a string.
 *
 * At startup, Bough queries each permission without a prompt, and reports all missing
 * permissions in one error. A declaration does not grant a permission.
 *
 * @example A route file
 * ```ts
 * import type { RoutePermissions } from "@bough/framework";
 *
 * export const permissions = {
 *   net: ["api.stripe.com"],
 *   env: ["STRIPE_KEY"],
 * } satisfies RoutePermissions;
 *
 * export const GET = () => Response.json({ paid: true });
 * ```
 */
export interface RoutePermissions {
  /** Files and folders to read. */
  readonly read?: true | readonly (string | URL)[];
  /** Files and folders to write. */
  readonly write?: true | readonly (string | URL)[];
  /** Hosts to connect to or to listen on: `"api.example.com"`, `"127.0.0.1:8000"`. */
  readonly net?: true | readonly string[];
  /** Environment variables: `"API_KEY"`, `"AWS_*"`. */
  readonly env?: true | readonly string[];
  /** Programs to run: `"git"`. Deno does not sandbox them. */
  readonly run?: true | readonly string[];
  /** System information to read: `"hostname"`, `"cpus"`. */
  readonly sys?: true | readonly string[];
  /** Dynamic libraries to load. Deno does not sandbox them. */
  readonly ffi?: true | readonly (string | URL)[];
  /** Hosts to import modules from: `"esm.sh"`. */
  readonly import?: true | readonly string[];
}

/** The permissions that one file declares. */
export interface PermissionDeclaration {
  /** The route file, the middleware file, or `option permissions`. */
  readonly file: string;
  /** The declared permissions. */
  readonly permissions: RoutePermissions;
}

/** A kind of permission, named like its flag. */
export type PermissionKind = keyof RoutePermissions;
