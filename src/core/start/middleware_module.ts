import { isObject, isStandardSchema, kindOf } from "../common/values.ts";
import { type ErrorFormat, isErrorFormat } from "../errors.ts";
import { ifValid, type Report } from "../common/faults.ts";
import { isMethod, type Method, METHODS } from "../methods.ts";
import { contractsFor } from "../schema/effective_schema.ts";
import type { FolderContract, LocatedContract } from "../types/contract.ts";
import type { Handler, Middleware } from "../types/request.ts";
import type { MethodSchema } from "../types/schema.ts";
import {
  checkMisnamed,
  checkMisplaced,
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
  /** The methods for whose requests it runs; all by default. */
  readonly methods?: readonly Method[];
}

/** The checked exports of a middleware file. */
export interface MiddlewareModule {
  /**
   * The functions, outermost first. A file without middleware has a level, too, since
   * it may declare permissions.
   */
  readonly levels: readonly MiddlewareLevel[];
  readonly errors: ErrorFormat | undefined;
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
    checkMisnamed(exports, ["contract", "errors", "permissions"], report);
    checkMisplaced(exports, "schema", report);
    if (exports.config !== undefined) {
      report(
        'export "config" has no effect in a middleware file; export it from route files',
      );
    }
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
  return checkList(value, "default", report);
}

/** @param where The list in messages, such as `default`. */
function checkList(
  list: readonly unknown[],
  where: string,
  report: Report,
): readonly MiddlewareLevel[] {
  return list.flatMap((each, index) => {
    if (typeof each === "function") {
      return checkFunction(each as Middleware, `${where}[${index}].`, report);
    }
    const found = `${where}[${index}] is ${kindOf(each)}`;
    report(`${found}; it must be a function, such as ${EXAMPLE}`);
    return [];
  });
}

/**
 * Checks the export `middleware` of a route file: a list for all requests to the route,
 * or an object with a list for each method.
 *
 * @param value The export; `undefined` if it is missing.
 */
export function checkRouteMiddleware(
  value: unknown,
  handlers: ReadonlyMap<Method, Handler>,
  report: Report,
): readonly MiddlewareLevel[] | undefined {
  return value === undefined ? [] : ifValid(report, (report) => {
    const listOf = (list: unknown, where: string) => {
      if (Array.isArray(list) && list.length > 0) {
        return checkList(list, where, report);
      }
      report(
        Array.isArray(list)
          ? `${where} is empty; remove it`
          : `${where} is ${
            kindOf(list)
          }; it must be a list of functions, such as [${EXAMPLE}]`,
      );
      return [];
    };
    if (!isObject(value) || Object.keys(value).length === 0) {
      return listOf(isObject(value) ? [] : value, "middleware");
    }
    return Object.entries(value).flatMap(([key, list]) => {
      const where = `middleware.${key}`;
      if (!isMethod(key) || !handlers.has(key)) {
        const found = isMethod(key) ? "has no handler" : "is not a method";
        report(
          `${where} ${found}; this file handles ${
            [...handlers.keys()].join(", ")
          }`,
        );
        return [];
      }
      const methods: Method[] = key === "GET" && !handlers.has("HEAD")
        ? ["GET", "HEAD"]
        : [key];
      return listOf(list, where).map((level) => ({ ...level, methods }));
    });
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
 * Finds the contracts that would disable an outer guard, since they allow anonymous
 * requests with a method that both cover. Such a contract would also open routes that a
 * developer adds to the folder later.
 *
 * @param contracts The contracts around a route, outermost first.
 */
export function disabledGuards(
  contracts: readonly LocatedContract[],
): readonly { contract: LocatedContract; guard: LocatedContract }[] {
  return contracts.flatMap((contract, index) => {
    const { security } = contract.contract;
    if (security === undefined || needsCredentials(security)) return [];
    const guards = contracts.slice(0, index)
      .filter(({ contract }) => needsCredentials(contract.security));
    const guard = METHODS
      .filter((method) => contractsFor([contract], method).length > 0)
      .map((method) => contractsFor(guards, method).at(-1))
      .find((guard) => guard !== undefined);
    return guard === undefined ? [] : [{ contract, guard }];
  });
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
