import { isObject, kindOf } from "../common/values.ts";
import { type ErrorFormat, isErrorFormat } from "../errors.ts";
import { ifValid, type Report } from "../faults.ts";
import type { FolderContract, LocatedContract } from "../types/contract.ts";
import type { Middleware } from "../types/request.ts";
import type { MethodSchema } from "../types/schema.ts";
import {
  type BodyConfig,
  checkConfig,
  checkMisnamed,
  checkMisplaced,
  type ModuleExports,
} from "./route_module.ts";
import { checkMembers, isStandardSchema } from "./schema_export.ts";

const EXAMPLE = "(request, next) => next()";

/** The checked exports of a middleware file. */
export interface MiddlewareModule {
  readonly middleware: readonly Middleware[];
  readonly contract: FolderContract | undefined;
  readonly errors: ErrorFormat | undefined;
  readonly config: Pick<BodyConfig, "rawBody">;
}

/**
 * Checks the exports of a middleware file. The default export must be a function, or a
 * list of functions, outermost first. An empty list is a fault, since its author may
 * expect a guard. A file with a contract may omit the default export, unless the
 * contract declares security. A file with permissions may omit the default export,
 * unless the file exports a function that may be meant as the guard.
 */
export function checkMiddleware(
  exports: ModuleExports,
  report: Report,
): MiddlewareModule | undefined {
  return ifValid(report, (report) => {
    checkMisnamed(
      exports,
      ["config", "contract", "errors", "permissions"],
      report,
    );
    checkMisplaced(exports, "schema", report);
    const contract = checkContract(exports.contract, report);
    const runs = "default" in exports ||
      (contract === undefined && !onlyDeclares(exports));
    const promise = (["security", "provides"] as const)
      .find((name) => (contract?.[name] ?? []).length > 0);
    if (!runs && promise !== undefined) {
      report(
        `contract.${promise} is declared, but the folder has no middleware; export the middleware as default, or remove contract.${promise}`,
      );
    }
    return {
      contract,
      errors: checkErrors(exports.errors, report),
      middleware: runs ? checkDefault(exports, report) : [],
      config: checkConfig(exports.config, ["rawBody"], report),
    };
  });
}

function checkErrors(errors: unknown, report: Report): ErrorFormat | undefined {
  if (errors === undefined || isErrorFormat(errors)) return errors;
  report('export "errors" must be a result of errorFormat()');
  return undefined;
}

/** Whether a file only declares permissions or errors, and exports no function. */
function onlyDeclares(
  { permissions, errors, ...others }: ModuleExports,
): boolean {
  const declares = errors !== undefined ||
    (isObject(permissions) && Object.keys(permissions).length > 0);
  return declares &&
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
      ? `the default export is ${kindOf(value)}`
      : "the default export is missing";
    report(
      `${found}; export default a function, such as ${EXAMPLE}, or a list of functions`,
    );
    return [];
  }
  if (value.length === 0) {
    report("the list of middleware is empty; remove the file");
  }
  value.forEach((each: unknown, index) => {
    if (typeof each === "function") return;
    const found = `default[${index}] is ${kindOf(each)}`;
    report(`${found}; it must be a function, such as ${EXAMPLE}`);
  });
  return value;
}

const KNOWN: readonly (keyof FolderContract)[] = [
  "params",
  "query",
  "headers",
  "response",
  "tags",
  "deprecated",
  "security",
  "provides",
];

/** Checks the `contract` export of a middleware file. */
function checkContract(
  contract: unknown,
  report: Report,
): FolderContract | undefined {
  if (contract === undefined) return undefined;
  checkMembers(contract, { where: "contract", known: KNOWN }, report);
  const { response } = Object(contract);
  if (response !== undefined && isStandardSchema(response)) {
    report(
      "contract.response is a single schema, but a folder needs schemas by status, such as { 401: Problem }",
    );
  }
  return contract as FolderContract;
}

/**
 * Finds the guard that a contract would disable by allowing anonymous requests. Such a
 * contract would also open routes that are added to the folder later.
 *
 * @param above The contracts of the folders above, outermost first.
 */
export function disabledGuard(
  { contract: { security } }: LocatedContract,
  above: readonly LocatedContract[],
): LocatedContract | undefined {
  return security === undefined || needsCredentials(security)
    ? undefined
    : above.findLast(({ contract }) => needsCredentials(contract.security));
}

/**
 * Whether a request needs credentials. The alternative `{}` does not require
 * credentials.
 */
export function needsCredentials(
  security: MethodSchema["security"] = [],
): boolean {
  return security.length > 0 &&
    security.every((requirement) => Object.keys(requirement).length > 0);
}
