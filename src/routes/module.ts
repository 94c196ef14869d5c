import { isMethod, type Method, METHODS } from "../method.ts";
import type { Handler } from "../http/request.ts";
import type { RouteSchema } from "../http/validation/schema.ts";
import type { BodyConfig } from "../http/body/rules.ts";
import { checkConfig } from "./config_export.ts";
import { kindOf } from "./kind.ts";
import type { ModuleExports } from "./load.ts";
import { checkMisplaced, checkSlips, handlerSlip } from "./export_slips.ts";
import { ifSound, type Report } from "./route_error.ts";
import { checkSchema } from "./schema_export.ts";

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
const SETTINGS = ["bodyLimit", "rawBody"] as const;

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
      config: checkConfig(exports.config, SETTINGS, report),
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
