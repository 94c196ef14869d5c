import { isMethod, type Method, METHODS } from "../method.ts";
import type { Handler } from "../http/request.ts";
import { type RouteSchema, SCHEMA_PARTS } from "../http/schema.ts";
import { isObject, kindOf } from "./kind.ts";

/**
 * Checks the `schema` export of a route file (spec 2.2).
 *
 * @param handlers The handlers of the file: a key without one has no effect.
 * @param faults Takes what is wrong, each a sentence with its fix.
 */
export function checkSchema(
  schema: unknown,
  handlers: ReadonlyMap<Method, Handler>,
  faults: string[],
): RouteSchema {
  if (schema === undefined) return {};
  if (!isObject(schema)) {
    faults.push(
      `export "schema" is ${
        kindOf(schema)
      }; it must be an object such as { post: { body: … } }`,
    );
    return {};
  }
  for (const [key, value] of Object.entries(schema)) {
    const method = key.toUpperCase();
    if (!isMethod(method)) {
      faults.push(
        `schema key "${key}" is no method; use ${lowercaseMethods()}`,
      );
    } else if (key !== method.toLowerCase()) {
      faults.push(`schema key "${key}" must be "${key.toLowerCase()}"`);
    } else if (!hasHandler(handlers, method)) {
      faults.push(
        `schema key "${key}" has no handler; export ${method} or remove the key`,
      );
    } else {
      checkMethodSchema(key, value, faults);
    }
  }
  return schema as RouteSchema;
}

/** `head` may stand on `GET`, which answers `HEAD` where nothing else does. */
function hasHandler(
  handlers: ReadonlyMap<Method, Handler>,
  method: Method,
): boolean {
  return handlers.has(method) || (method === "HEAD" && handlers.has("GET"));
}

function checkMethodSchema(
  key: string,
  value: unknown,
  faults: string[],
): void {
  if (!isObject(value)) {
    faults.push(
      `schema.${key} is ${
        kindOf(value)
      }; it must be an object with ${quotedParts()}`,
    );
    return;
  }
  for (const [part, schema] of Object.entries(value)) {
    if (!(SCHEMA_PARTS as readonly string[]).includes(part)) {
      faults.push(
        `schema.${key}.${part} is not known; a schema has ${quotedParts()}`,
      );
    } else if (!isStandardSchema(schema)) {
      faults.push(
        `schema.${key}.${part} is no Standard Schema; make it with zod, Valibot, ArkType or the like`,
      );
    }
  }
}

function isStandardSchema(value: unknown): boolean {
  // A schema may be a function: ArkType's are.
  if (!isObject(value) && typeof value !== "function") return false;
  const standard = (value as Record<string, unknown>)["~standard"];
  return isObject(standard) && typeof standard.validate === "function";
}

function lowercaseMethods(): string {
  return METHODS.map((method) => method.toLowerCase()).join(", ");
}

function quotedParts(): string {
  return SCHEMA_PARTS.map((part) => `"${part}"`).join(" and ");
}
