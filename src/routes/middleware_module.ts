import type { Middleware } from "../http/middleware.ts";
import { kindOf } from "./kind.ts";
import type { ModuleExports } from "./load.ts";

const EXAMPLE = "(request, next) => next()";

/**
 * Checks the exports of a middleware file: its default export is one function,
 * or a list of them, the first one outermost.
 *
 * A file that guards nothing is a fault: whoever wrote it believes that it does.
 *
 * @returns The functions, or the faults, each a sentence with its fix.
 */
export function checkMiddleware(
  exports: ModuleExports,
): { readonly middleware: readonly Middleware[] } | {
  readonly faults: readonly string[];
} {
  const value = exports.default;
  if (typeof value === "function") return { middleware: [value as Middleware] };
  if (!Array.isArray(value)) {
    const found = "default" in exports
      ? `its default export is ${kindOf(value)}`
      : "it has no default export";
    return {
      faults: [
        `${found}; export default a function, such as ${EXAMPLE}, or a list of them`,
      ],
    };
  }
  if (value.length === 0) {
    return { faults: ["its list of middleware is empty; remove the file"] };
  }
  const faults = value.flatMap((each: unknown, index) =>
    typeof each === "function" ? [] : [
      `default[${index}] is ${
        kindOf(each)
      }; it must be a function, such as ${EXAMPLE}`,
    ]
  );
  return faults.length > 0 ? { faults } : { middleware: value };
}
