import { isObject, isStandardSchema, kindOf } from "../common/values.ts";
import { type ErrorFormat, isErrorFormat } from "../errors.ts";
import { ifValid, type Report } from "../faults.ts";
import { METHODS } from "../methods.ts";
import { contractsFor } from "../schema/effective_schema.ts";
import type { FolderContract, LocatedContract } from "../types/contract.ts";
import type { Middleware } from "../types/request.ts";
import type { MethodSchema } from "../types/schema.ts";
import {
  checkConfig,
  checkMisnamed,
  checkMisplaced,
  type FileConfig,
  type ModuleExports,
} from "./route_module.ts";
import { checkMembers } from "./schema_export.ts";

const EXAMPLE = "(request, next) => next()";

/** A middleware function, and the contracts that are checked just before it runs. */
export interface MiddlewareLevel {
  /** The middleware; absent if the file declares only a contract. */
  readonly run?: Middleware;
  /** The contracts, outermost first. */
  readonly contracts: readonly FolderContract[];
}

/** The checked exports of a middleware file. */
export interface MiddlewareModule {
  /**
   * The functions, outermost first. A file without middleware has a level, too, since
   * it may declare permissions.
   */
  readonly levels: readonly MiddlewareLevel[];
  readonly errors: ErrorFormat | undefined;
  readonly config: Pick<FileConfig, "rawBody">;
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
    const contract = exports.contract === undefined
      ? undefined
      : checkContract(exports.contract, "contract", report);
    const runs = "default" in exports ||
      (contract === undefined && !onlyDeclares(exports));
    const promise = (["security", "provides"] as const)
      .find((name) => (contract?.[name] ?? []).length > 0);
    if (!runs && promise !== undefined) {
      report(
        `contract.${promise} is declared, but the folder has no middleware; export the middleware as default, or remove contract.${promise}`,
      );
    }
    const [first, ...others] = runs ? checkDefault(exports, report) : [];
    const contracts = [contract ?? [], first?.contracts ?? []].flat();
    return {
      levels: [{ ...first, contracts }, ...others],
      errors: checkErrors(exports.errors, report),
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
): readonly MiddlewareLevel[] {
  const value = exports.default;
  if (typeof value === "function") {
    return [checkFunction(value as Middleware, "default.", report)];
  }
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
  return value.flatMap((each: unknown, index) => {
    if (typeof each === "function") {
      return checkFunction(each as Middleware, `default[${index}].`, report);
    }
    const found = `default[${index}] is ${kindOf(each)}`;
    report(`${found}; it must be a function, such as ${EXAMPLE}`);
    return [];
  });
}

/**
 * Checks the contracts of a middleware function.
 *
 * @param prefix The prefix of its members in messages, such as `default.`.
 */
export function checkFunction(
  run: Middleware & { readonly contracts?: unknown },
  prefix: string,
  report: Report,
): MiddlewareLevel {
  const { contracts = [] } = run;
  if (Array.isArray(contracts)) {
    return {
      run,
      contracts: contracts.map((contract, index) =>
        checkContract(contract, `${prefix}contracts[${index}]`, report)
      ),
    };
  }
  report(
    `${prefix}contracts is ${
      kindOf(contracts)
    }; it must be an array of contracts, such as [{ response: { 429: ... } }]`,
  );
  return { run, contracts: [] };
}

const KNOWN: readonly (keyof FolderContract)[] = [
  "params",
  "query",
  "headers",
  "response",
  "tags",
  "deprecated",
  "security",
  "access",
  "provides",
  "mcp",
  "methods",
];

/** @param where The place of the contract in messages, such as `contract`. */
function checkContract(
  contract: unknown,
  where: string,
  report: Report,
): FolderContract {
  checkMembers(contract, { where, known: KNOWN }, report);
  const { response } = Object(contract);
  if (response !== undefined && isStandardSchema(response)) {
    report(
      `${where}.response is a single schema, but a folder needs schemas by status, such as { 401: Problem }`,
    );
  }
  return contract as FolderContract;
}

/**
 * Finds the guard that a contract would disable by allowing anonymous requests with a
 * method that both cover. Such a contract would also open routes that are added to the
 * folder later.
 *
 * @param above The contracts of the folders above, outermost first.
 */
export function disabledGuard(
  { contract: { security, methods } }: LocatedContract,
  above: readonly LocatedContract[],
): LocatedContract | undefined {
  if (security === undefined || needsCredentials(security)) return undefined;
  const guards = above.filter(({ contract }) =>
    needsCredentials(contract.security)
  );
  return (methods ?? METHODS)
    .map((method) => contractsFor(guards, method).at(-1))
    .find((guard) => guard !== undefined);
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
