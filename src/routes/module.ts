import { isMethod, type Method, METHODS } from "../method.ts";
import type { Handler } from "../http/request.ts";
import type { RouteSchema } from "../http/schema.ts";
import { isObject, kindOf } from "./kind.ts";
import type { ModuleExports } from "./load.ts";
import { checkSchema } from "./schema_export.ts";

/** The settings of one route file: its `config` export. */
export interface RouteConfig {
  /** The largest body that the route reads as a whole, in bytes. */
  readonly bodyLimit?: number;
}

/** What a route file exports, checked. */
export interface RouteModule {
  /** The handlers by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The schemas by lowercase method. */
  readonly schema: RouteSchema;
  /** The settings of the route. */
  readonly config: RouteConfig;
}

/**
 * Checks the exports of a route file. Handlers, `schema` and `config` are looked
 * at; so are names that look like a slip for a handler, since a `get` that
 * silently answers nothing is hard to find. All other exports are left alone.
 *
 * @returns The checked module, or the faults, each a sentence with its fix.
 */
export function checkModule(exports: ModuleExports): RouteModule | string[] {
  const faults: string[] = [];
  const handlers = checkHandlers(exports, faults);
  const schema = checkSchema(exports.schema, handlers, faults);
  const config = checkConfig(exports.config, faults);
  return faults.length > 0 ? faults : { handlers, schema, config };
}

function checkHandlers(
  exports: ModuleExports,
  faults: string[],
): Map<Method, Handler> {
  const handlers = new Map<Method, Handler>();
  let slips = 0;
  for (const [name, value] of Object.entries(exports)) {
    if (isMethod(name)) {
      if (typeof value !== "function") {
        faults.push(
          `export "${name}" is ${
            kindOf(value)
          }; it must be a function that takes a request and returns a Response`,
        );
      }
      handlers.set(name, value as Handler);
      continue;
    }
    const hint = slipHint(name, value);
    if (hint === undefined) continue;
    faults.push(`export "${name}" is no handler: ${hint}`);
    slips++;
  }
  if (handlers.size === 0 && slips === 0) {
    faults.push(
      `it exports no handler; export a function named ${METHODS.join(", ")}`,
    );
  }
  return handlers;
}

/** What to do about an export that looks like a handler but is none. */
function slipHint(name: string, value: unknown): string | undefined {
  if (name === "default") {
    return 'export handlers by the name of their method, such as "GET"';
  }
  const upper = name.toUpperCase();
  if (upper === "TRACE" || upper === "CONNECT") {
    return typeof value === "function" || name === upper
      ? `routes handle ${METHODS.join(", ")}`
      : undefined;
  }
  // Only a function: a constant named `options` is somebody's own.
  if (isMethod(upper) && typeof value === "function") {
    return `name it "${upper}", in uppercase`;
  }
  return undefined;
}

function checkConfig(config: unknown, faults: string[]): RouteConfig {
  if (config === undefined) return {};
  if (!isObject(config)) {
    faults.push(
      `export "config" is ${
        kindOf(config)
      }; it must be an object such as { bodyLimit: 50_000_000 }`,
    );
    return {};
  }
  for (const [key, value] of Object.entries(config)) {
    if (key !== "bodyLimit") {
      faults.push(`config.${key} is not known; config has "bodyLimit"`);
    } else if (!isBodyLimit(value)) {
      faults.push(
        `config.bodyLimit must be a number of bytes, 0 or more, got ${
          String(value)
        }`,
      );
    }
  }
  return config;
}

/** Whether a value is a number of bytes; `Infinity` lifts the limit. */
export function isBodyLimit(value: unknown): value is number {
  return value === Infinity ||
    (Number.isInteger(value) && value as number >= 0);
}
