import type { BodyConfig } from "../http/body/rules.ts";
import type { Middleware } from "../http/middleware.ts";
import { checkConfig } from "./config_export.ts";
import { kindOf } from "./kind.ts";
import type { ModuleExports } from "./load.ts";

const EXAMPLE = "(request, next) => next()";

/** What a middleware file exports, checked. */
export interface MiddlewareModule {
  /** The functions, the first one outermost. */
  readonly middleware: readonly Middleware[];
  /** What the file says of bodies below its folder. */
  readonly config: Pick<BodyConfig, "rawBody">;
}

/**
 * Checks the exports of a middleware file: its default export is one function,
 * or a list of them, the first one outermost.
 *
 * A file that guards nothing is a fault: whoever wrote it believes that it does.
 *
 * @returns The checked module, or the faults, each a sentence with its fix.
 */
export function checkMiddleware(
  exports: ModuleExports,
): MiddlewareModule | { readonly faults: readonly string[] } {
  const faults: string[] = [];
  const middleware = checkDefault(exports, faults);
  const config = checkConfig(exports.config, ["rawBody"], faults);
  return faults.length > 0 ? { faults } : { middleware, config };
}

function checkDefault(
  exports: ModuleExports,
  faults: string[],
): readonly Middleware[] {
  const value = exports.default;
  if (typeof value === "function") return [value as Middleware];
  if (!Array.isArray(value)) {
    const found = "default" in exports
      ? `its default export is ${kindOf(value)}`
      : "it has no default export";
    faults.push(
      `${found}; export default a function, such as ${EXAMPLE}, or a list of them`,
    );
    return [];
  }
  if (value.length === 0) {
    faults.push("its list of middleware is empty; remove the file");
  }
  value.forEach((each: unknown, index) => {
    if (typeof each === "function") return;
    faults.push(
      `default[${index}] is ${
        kindOf(each)
      }; it must be a function, such as ${EXAMPLE}`,
    );
  });
  return value;
}
