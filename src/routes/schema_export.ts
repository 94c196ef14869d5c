import { isMethod, type Method, METHODS } from "../method.ts";
import type { Handler } from "../http/request.ts";
import type { RouteSchema } from "../http/validation/schema.ts";
import { isObject, kindOf } from "./kind.ts";
import type { Report } from "./route_error.ts";
import { isStandardSchema } from "./response_export.ts";
import { checkMembers } from "./schema_members.ts";

/**
 * Checks the `schema` export of a route file.
 *
 * @param handlers The handlers of the file: a key without one has no effect.
 * @param report Receives what is wrong.
 */
export function checkSchema(
  schema: unknown,
  handlers: ReadonlyMap<Method, Handler>,
  report: Report,
): RouteSchema {
  if (schema === undefined) return {};
  if (!isObject(schema)) {
    report(
      `export "schema" is ${
        kindOf(schema)
      }; it must be an object such as { post: { body: ... } }`,
    );
    return {};
  }
  for (const key of Object.keys(schema)) {
    const value = schema[key];
    const method = key.toUpperCase();
    if (!isMethod(method)) {
      report(
        `schema key "${key}" is no method; use ${lowercaseMethods()}`,
      );
    } else if (key !== method.toLowerCase()) {
      report(`schema key "${key}" must be "${key.toLowerCase()}"`);
    } else if (!hasHandler(handlers, method)) {
      report(
        `schema key "${key}" has no handler; export ${method} or remove the key`,
      );
    } else {
      checkMembers(value, { where: `schema.${key}`, kind: "schema" }, report);
      checkBodyless(key, value, report);
      checkLive(key, value, report);
    }
  }
  return schema as RouteSchema;
}

/** The key `head` may go with the handler `GET`, which also responds to `HEAD`. */
function hasHandler(
  handlers: ReadonlyMap<Method, Handler>,
  method: Method,
): boolean {
  return handlers.has(method) || (method === "HEAD" && handlers.has("GET"));
}

/**
 * No body ever arrives with these methods: RFC 9110, 9.3.1, gives it no meaning there,
 * and neither Deno's server nor `new Request()` lets a request have one.
 */
function checkBodyless(key: string, value: unknown, report: Report): void {
  if (key !== "get" && key !== "head") return;
  if (!isObject(value) || !isStandardSchema(value.body)) return;
  report(
    `schema.${key}.body fits no request, since ${key.toUpperCase()} has no body; declare a query, or move it to another method`,
  );
}

/** A method has one kind of response. A socket opens with GET (RFC 6455, 4.1). */
function checkLive(key: string, value: unknown, report: Report): void {
  if (!isObject(value)) return;
  if (value.events === undefined && value.socket === undefined) return;
  const [first, second] = (["response", "events", "socket"] as const)
    .filter((member) => value[member] !== undefined);
  if (second !== undefined) {
    report(
      `schema.${key} has "${first}" and "${second}", which exclude each other; keep one of them`,
    );
  }
  if (value.socket !== undefined && key !== "get") {
    report(`schema.${key}.socket opens with no method but GET; move it to get`);
  }
}

function lowercaseMethods(): string {
  return METHODS.map((method) => method.toLowerCase()).join(", ");
}
