import type { BodyConfig } from "../http/body/rules.ts";
import type { Middleware } from "../http/middleware.ts";
import type { FolderContract } from "../http/validation/contract.ts";
import { checkConfig } from "./config_export.ts";
import { checkContract } from "./contract_export.ts";
import { checkMisplaced, checkSlips } from "./export_slips.ts";
import { isObject, kindOf } from "./kind.ts";
import type { ModuleExports } from "./load.ts";
import { ifSound, type Report } from "./route_error.ts";

const EXAMPLE = "(request, next) => next()";

/** The exports of a middleware file, checked. */
export interface MiddlewareModule {
  /** The functions, the first one outermost. */
  readonly middleware: readonly Middleware[];
  /** What it demands of requests, and may respond with. */
  readonly contract: FolderContract | undefined;
  /** The settings for bodies below its folder. */
  readonly config: Pick<BodyConfig, "rawBody">;
}

/**
 * Checks the exports of a middleware file: its default export is one function, or a
 * list of them, the first one outermost. An empty list is a fault, since its author
 * may believe that it guards something. With a contract, it may be missing, unless the
 * contract says that something is guarded; with permissions, too, unless a function that
 * is exported may be meant as the guard.
 *
 * @returns The checked module, unless something is wrong with it.
 */
export function checkMiddleware(
  exports: ModuleExports,
  report: Report,
): MiddlewareModule | undefined {
  return ifSound(report, (report) => {
    checkSlips(exports, ["config", "contract", "permissions"], report);
    checkMisplaced(exports, "schema", report);
    const contract = checkContract(exports.contract, report);
    return {
      contract,
      middleware: "default" in exports
        ? checkDefault(exports, report)
        : contract !== undefined
        ? checkUnguarded(contract, report)
        : onlyDeclares(exports)
        ? []
        : checkDefault(exports, report),
      config: checkConfig(exports.config, ["rawBody"], report),
    };
  });
}

function checkUnguarded(
  { security = [] }: FolderContract,
  report: Report,
): readonly Middleware[] {
  if (security.length > 0) {
    report(
      `its contract declares security, but nothing guards the folder: export default the middleware that does, or drop contract.security`,
    );
  }
  return [];
}

/** Whether a file declares what its folder needs, and has nothing that may run. */
function onlyDeclares({ permissions, ...others }: ModuleExports): boolean {
  return isObject(permissions) && Object.keys(permissions).length > 0 &&
    Object.values(others).every((value) => typeof value !== "function");
}

function checkDefault(
  exports: ModuleExports,
  report: Report,
): readonly Middleware[] {
  const value = exports.default;
  if (typeof value === "function") return [value as Middleware];
  if (!Array.isArray(value)) {
    const found = "default" in exports
      ? `its default export is ${kindOf(value)}`
      : "it has no default export";
    report(
      `${found}; export default a function, such as ${EXAMPLE}, or a list of them`,
    );
    return [];
  }
  if (value.length === 0) {
    report("its list of middleware is empty; remove the file");
  }
  value.forEach((each: unknown, index) => {
    if (typeof each === "function") return;
    report(
      `default[${index}] is ${
        kindOf(each)
      }; it must be a function, such as ${EXAMPLE}`,
    );
  });
  return value;
}
