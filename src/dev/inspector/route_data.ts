import { resolve } from "@std/path/resolve";
import { operationsOf, securityText } from "../../cli/check/operations.ts";
import { withoutUrls } from "../../cli/check/declarations.ts";
import { middlewareOf } from "../../cli/explain.ts";
import { exists } from "../../cli/files.ts";
import { unescaped } from "../../core/common/log.ts";
import { isGranted } from "../../core/start/permissions.ts";
import { type Method, schemaKey } from "../../core/methods.ts";
import type { RouteInfo } from "../../core/types/plugin.ts";
import { contractsFor } from "../../core/schema/declaration.ts";
import { SCHEMA_PARTS } from "../../core/schema/check_request.ts";
import type { Direction } from "../../core/schema/json_schema.ts";
import type {
  EventSchemas,
  SocketSchemas,
  StandardSchemaV1,
} from "../../core/types/schema.ts";
import { toJsonSchema } from "../../shared/document/json_schema.ts";

/** Describes a route by a few members, for a list. */
export function summarizeRoute(info: RouteInfo): Record<string, unknown> {
  const { path, methods, file, middleware } = info;
  const security = securityText(info) || undefined;
  return { path, methods, file, middleware, security };
}

/** Everything that Bough knows of a route, as JSON. */
export function describeRoute(info: RouteInfo): Record<string, unknown> {
  const { path, file, folders, methods, permissions, errorsFile } = info;
  return {
    path,
    file,
    absolute: absolutePath(file),
    folders,
    errors: errorsFile,
    permissions: permissions.map(({ file, permissions }) => ({
      file,
      permissions: withoutUrls(permissions),
    })),
    methods: methods.map((method) => describeMethod(info, method)),
  };
}

/**
 * The path of a route file for an editor; `undefined` for a key of a manifest and for a
 * route of a plugin.
 */
function absolutePath(file: string): string | undefined {
  const value = resolve(unescaped(file));
  // Without the permission, `exists()` would prompt for it.
  return isGranted({ kind: "read", value }) && exists(value)
    ? value
    : undefined;
}

function describeMethod(
  info: RouteInfo,
  method: Method,
): Record<string, unknown> {
  const { contracts, bodyLimit, bodyTimeout } = info;
  const { parts, response, events, socket, deprecated } = info.operations.get(
    method,
  )!;
  const schemas = SCHEMA_PARTS.flatMap((part) => {
    const all = parts[part].map(({ value, file, mediaType }) => (
      { file, mediaType, schema: jsonSchemaOf(value, "input") }
    ));
    return all.length > 0 ? [[part, all] as const] : [];
  });
  const responses = response.entries().map(([status, { value, file }]) => {
    const bodies = value.bodies.map(({ mediaType, schema }) => (
      { mediaType, file, schema: jsonSchemaOf(schema, "output") }
    ));
    return [status, bodies] as const;
  });
  return {
    method,
    middleware: middlewareOf(info, method),
    contracts: contractsFor(contracts, method).map(({ contract, file }) => (
      { file, declares: Object.keys(contract) }
    )),
    // These members name the files of schemas; those below replace them with schemas.
    ...operationsOf(info)[schemaKey(method)],
    deprecated: deprecated?.value || undefined,
    ...Object.fromEntries(schemas),
    ...(response.size > 0 && { response: Object.fromEntries(responses) }),
    ...(events && { events: jsonSchemasOf(events.value) }),
    ...(socket && { socket: jsonSchemasOf(socket.value) }),
    bodyLimit: `${bodyLimit} bytes`,
    bodyTimeout: `${bodyTimeout} ms`,
  };
}

/** The schemas of events or of the messages of a socket, by name. */
function jsonSchemasOf(schemas: EventSchemas | SocketSchemas): object {
  const entries = Object.entries(schemas).map(([name, schema]) => [
    name,
    jsonSchemaOf(schema, name === "receive" ? "input" : "output"),
  ]);
  return Object.fromEntries(entries);
}

function jsonSchemaOf(
  schema: StandardSchemaV1 | undefined,
  direction: Direction,
): unknown {
  try {
    return schema && toJsonSchema(schema, { direction, name: "Schema" });
  } catch {
    return "no JSON Schema";
  }
}
