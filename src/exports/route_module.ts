import { isObject, kindOf, spellValue } from "../common/values.ts";
import { ifSound, type Report } from "../faults.ts";
import { isMethod, type Method, METHODS } from "../methods.ts";
import type { Handler } from "../types/request.ts";
import type { RouteSchema } from "../types/schema.ts";
import {
  checkMisplaced,
  checkSlips,
  handlerSlip,
  type ModuleExports,
} from "./misnamed.ts";
import { checkSchema } from "./schema_export.ts";

/** The `config` export of a route file or a middleware file. */
export interface BodyConfig {
  /** The size of the largest body that the route reads as a whole, in bytes. */
  readonly bodyLimit?: number;
  /**
   * Keeps the exact bytes of a body that was read as JSON, say by validation. Then
   * `request.text()` and `request.bytes()` can check the signature of a webhook.
   */
  readonly rawBody?: boolean;
}

/** The exports of a route file, checked. */
export interface RouteModule {
  /** The handlers by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The schemas by lowercase method. */
  readonly schema: RouteSchema;
  /** The settings of the route. */
  readonly config: BodyConfig;
}

/** What a route file may export besides handlers. */
const KNOWN = ["schema", "config", "permissions"] as const;
const ROUTE_SETTINGS = ["bodyLimit", "rawBody"] as const;

/**
 * Checks the exports of a route file: handlers, `schema` and `config`, and names that
 * look like one of them mistyped, since a `get` or `schemas` that is silently ignored
 * is hard to find. All other exports are left alone.
 *
 * @returns The checked module, unless something is wrong with it.
 */
export function checkModule(
  exports: ModuleExports,
  report: Report,
): RouteModule | undefined {
  return ifSound(report, (report) => {
    const handlers = checkHandlers(exports, report);
    checkSlips(exports, KNOWN, report);
    checkMisplaced(exports, "contract", report);
    return {
      handlers,
      schema: checkSchema(exports.schema, handlers, report),
      config: checkConfig(exports.config, ROUTE_SETTINGS, report),
    };
  });
}

function checkHandlers(
  exports: ModuleExports,
  report: Report,
): Map<Method, Handler> {
  const handlers = new Map<Method, Handler>();
  let slips = 0;
  for (const name of Object.keys(exports)) {
    const value = exports[name];
    if (isMethod(name)) {
      if (typeof value !== "function") {
        report(
          `export "${name}" is ${
            kindOf(value)
          }; it must be a function that takes a request and returns a Response`,
        );
      }
      handlers.set(name, value as Handler);
      continue;
    }
    const hint = handlerSlip(name, value);
    if (hint === undefined) continue;
    report(`export "${name}" is no handler: ${hint}`);
    slips++;
  }
  if (handlers.size === 0 && slips === 0) {
    report(
      `it exports no handler; export a function named ${METHODS.join(", ")}`,
    );
  }
  return handlers;
}

/** What the value of a setting must be. */
interface Setting {
  readonly accepts: (value: unknown) => boolean;
  readonly expected: string;
}

const SETTINGS: { readonly [Name in keyof BodyConfig]-?: Setting } = {
  bodyLimit: { accepts: isBodyLimit, expected: "a number of bytes, 0 or more" },
  rawBody: {
    accepts: (value) => typeof value === "boolean",
    expected: "true or false",
  },
};

/**
 * Checks the `config` export of a file.
 *
 * @param known The settings of this kind of file.
 * @param report Receives what is wrong.
 */
export function checkConfig(
  config: unknown,
  known: readonly (keyof BodyConfig)[],
  report: Report,
): BodyConfig {
  if (config === undefined) return {};
  if (!isObject(config)) {
    report(
      `export "config" is ${
        kindOf(config)
      }; it must be an object such as { bodyLimit: 50_000_000 }`,
    );
    return {};
  }
  for (const [key, value] of Object.entries(config)) {
    const name = known.find((name) => name === key);
    if (name === undefined) {
      const names = known.map((name) => `"${name}"`).join(" and ");
      report(`config.${key} is not known; config has ${names}`);
    } else if (!SETTINGS[name].accepts(value)) {
      report(
        `config.${key} must be ${SETTINGS[name].expected}, got ${
          spellValue(value)
        }`,
      );
    }
  }
  return config;
}

/** Whether a value is a number of bytes; with `Infinity` there is no limit. */
export function isBodyLimit(value: unknown): value is number {
  return value === Infinity ||
    (Number.isInteger(value) && value as number >= 0);
}
