import {
  absent,
  anyOf,
  checkForm,
  fits,
  type Form,
  FUNCTION,
  isNear,
  listOf,
  type Members,
  object,
  oneOf,
  type OptionForm,
} from "../common/forms.ts";
import type { Report } from "../common/faults.ts";
import { isObject, isStandardSchema } from "../common/values.ts";
import { type ErrorFormat, isErrorFormat } from "../errors.ts";
import { isMethod, type Method, METHODS, schemaKey } from "../methods.ts";
import { SCHEMA_PARTS } from "../schema/check_request.ts";
import { contractsFor } from "../schema/declaration.ts";
import type { FolderContract, LocatedContract } from "../types/contract.ts";
import type { RoutePermissions } from "../types/permissions.ts";
import type { Handler, Middleware } from "../types/request.ts";
import type { MethodSchema, RouteSchema } from "../types/schema.ts";
import { CONTRACT, SCHEMAS } from "./declarations.ts";
import { PERMISSIONS } from "./permissions.ts";

/** The exports of a file, as `import()` returns them. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/** The `config` export of a route file. */
export interface FileConfig {
  /**
   * The size of the largest body that the route buffers, in bytes.
   *
   * @default the option `bodyLimit`
   */
  readonly bodyLimit?: number;
  /**
   * The status for a value in the path that violates a schema of `params`: 400 or 404.
   *
   * @default the option `invalidParams`
   */
  readonly invalidParams?: 400 | 404;
}

/** The largest size of a body; `Infinity` allows every size. */
export const BODY_LIMIT: Form = {
  accepts: (value) =>
    value === Infinity || (Number.isInteger(value) && value as number >= 0),
  expected: "must be a whole number of bytes, 0 or more",
};

/** The status for a value in the path that violates its schema. */
export const INVALID_PARAMS: Form = oneOf(400, 404);

/** Declares each setting of a file. */
export const SETTINGS = {
  bodyLimit: { ...BODY_LIMIT, rule: "7.3" },
  invalidParams: { ...INVALID_PARAMS, rule: "7.1" },
} satisfies {
  readonly [Name in keyof FileConfig]-?: OptionForm<FileConfig[Name]>;
};

/** A middleware function, and the contracts that are checked just before it runs. */
export interface MiddlewareLevel {
  /** The middleware; absent if the file declares only a contract. */
  readonly run?: Middleware;
  /** The contracts, outermost first. */
  readonly contracts: readonly FolderContract[];
  /** The methods for whose requests it runs; all by default. */
  readonly methods?: readonly Method[];
}

const EXAMPLE = "(request, next) => next()";

/** The form of a middleware function. */
export const MIDDLEWARE: Form = {
  ...FUNCTION,
  expected: `must be a function, such as ${EXAMPLE}`,
  members: {
    contracts: listOf(
      CONTRACT,
      "must be an array of contracts, such as [{ response: { 429: ... } }]",
    ),
  },
  isOpen: true,
  allowsUndefined: true,
};

const LEVELS = listOf(
  MIDDLEWARE,
  `must be a list of functions, such as [${EXAMPLE}]`,
  1,
);

/** The form of the option and the export `errors`. */
export const ERROR_FORMAT: Form = {
  accepts: isErrorFormat,
  expected: "must be a result of errorFormat()",
};

const HANDLER: Form = {
  ...FUNCTION,
  expected: "must be a function that takes a request and returns a Response",
};

/** Creates the form of an object with a value for each method. */
function byMethod(value: Form, expected: string): Form {
  const members = METHODS.map((method) => [method, value]);
  return object(Object.fromEntries(members), expected);
}

/** The form of the handlers of a route. */
export const HANDLERS = byMethod(
  HANDLER,
  "must be an object such as { GET: (request) => ... }",
);

const ROUTE = object({
  ...HANDLERS.members,
  schema: SCHEMAS,
  config: object(SETTINGS),
  permissions: PERMISSIONS,
  middleware: anyOf(
    `${LEVELS.expected}, or an object of such lists by method`,
    LEVELS,
    {
      ...byMethod(LEVELS, ""),
      accepts: (value) => isObject(value) && Object.keys(value).length > 0,
    },
  ),
});

const FOLDER = object({
  contract: CONTRACT,
  default: anyOf(
    `${MIDDLEWARE.expected}, or a list of functions`,
    MIDDLEWARE,
    LEVELS,
  ),
  config: absent(
    "only a route file has settings",
    "export it from the route files",
  ),
  permissions: PERMISSIONS,
  errors: ERROR_FORMAT,
});

/** The checked exports of a route file. */
export interface RouteModule {
  readonly handlers: ReadonlyMap<Method, Handler>;
  readonly schema: RouteSchema;
  readonly config: FileConfig;
  /** The middleware of the file, outermost first. */
  readonly levels: readonly MiddlewareLevel[];
  readonly permissions: RoutePermissions | undefined;
}

/**
 * Checks the exports of a route file. Reports misspellings of their names, since a
 * silently ignored `get` or `schemas` is hard to find. Ignores other exports.
 */
export function checkModule(
  exports: ModuleExports,
  report: Report,
): RouteModule | undefined {
  const { known, others, faults } = read(exports, ROUTE);
  const { schema = {}, config = {}, middleware = [] } = known;
  const methods = METHODS.filter((method) => method in known);
  const has = (value: unknown, key: string) =>
    Object.hasOwn(Object(value), key);
  const misnamed = others.flatMap((name) =>
    misnamedHandler(exports, name) ?? []
  );
  faults.push(...misnamed);
  if (methods.length === 0 && misnamed.length === 0) {
    const names = METHODS.join(", ");
    faults.push(`no handler is exported; export a function named ${names}`);
  }
  for (const method of METHODS) {
    if (methods.includes(method)) continue;
    const key = schemaKey(method);
    const remedy = `has no handler; export ${method} or remove the key`;
    // The handler of `GET` also responds to `HEAD`.
    if (has(schema, key) && !(key === "head" && "GET" in known)) {
      faults.push(`schema.${key} ${remedy}`);
    }
    if (has(middleware, method)) {
      faults.push(`middleware.${method} ${remedy}`);
    }
  }
  faults.forEach((fault) => report(fault));
  if (faults.length > 0) return undefined;
  return {
    handlers: new Map(
      methods.map((method) => [method, known[method] as Handler]),
    ),
    schema: schema as RouteSchema,
    config: config as FileConfig,
    levels: routeLevels(middleware, methods),
    permissions: known.permissions as RoutePermissions | undefined,
  };
}

/** @param middleware A valid list, or a valid object of lists by method. */
function routeLevels(
  middleware: unknown,
  handled: readonly Method[],
): readonly MiddlewareLevel[] {
  if (Array.isArray(middleware)) return middleware.map(levelOf);
  const lists = Object.entries(middleware as Record<Method, Middleware[]>);
  return lists.flatMap(([key, list]) => {
    const methods = METHODS.filter((method) =>
      method === key ||
      (method === "HEAD" && key === "GET" && !handled.includes("HEAD"))
    );
    return list.map((run) => ({ ...levelOf(run), methods }));
  });
}

/** Returns the level of a valid middleware function. */
export function levelOf(run: Middleware): MiddlewareLevel {
  const { contracts = [] } = run as { contracts?: readonly FolderContract[] };
  return { run, contracts };
}

/** The checked exports of a middleware file. */
export interface MiddlewareModule {
  /**
   * The functions, outermost first. A file without middleware has a level, too, since
   * it may declare permissions.
   */
  readonly levels: readonly MiddlewareLevel[];
  readonly errors: ErrorFormat | undefined;
  readonly permissions: RoutePermissions | undefined;
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
  const { known, faults } = read(exports, FOLDER);
  const { contract, errors, permissions } = known as {
    readonly contract?: FolderContract;
    readonly errors?: ErrorFormat;
    readonly permissions?: RoutePermissions;
  };
  const isRun = "default" in known;
  if (!isRun && contract === undefined && !onlyDeclares(exports)) {
    faults.push(
      `the default export is missing; export default a function, such as ${EXAMPLE}, or a list of functions`,
    );
  }
  if (!isRun && (contract?.security ?? []).length > 0) {
    faults.push(
      "contract.security is declared, but the folder has no middleware; export the middleware as default, or remove contract.security",
    );
  }
  faults.forEach((fault) => report(fault));
  if (faults.length > 0) return undefined;
  const runs = [known.default ?? []].flat() as Middleware[];
  const [first, ...others] = runs.map(levelOf);
  const contracts = [contract ?? [], first?.contracts ?? []].flat();
  return {
    levels: [{ ...first, contracts }, ...others],
    errors,
    permissions,
  };
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

/** The exports of a file that its kind of file knows, and the names of the others. */
interface ReadExports {
  readonly known: ModuleExports;
  readonly others: readonly string[];
  readonly faults: string[];
}

/**
 * Reads and checks the known exports of a file. Reads only the keys of the others, since
 * reading all exports of 1,000 files in a bundle takes 10 ms.
 */
function read(exports: ModuleExports, form: Form): ReadExports {
  const members = form.members!;
  const known: Record<string, unknown> = {};
  const others: string[] = [];
  for (const name of Object.keys(exports)) {
    if (Object.hasOwn(members, name)) known[name] = exports[name];
    else others.push(name);
  }
  const faults = others.flatMap((name) =>
    misnamedExport(exports, name, members) ?? []
  );
  checkForm(form, known, "", (fault) => faults.push(fault));
  return { known, others, faults };
}

/** Describes an export of a route file whose name only resembles a method. */
function misnamedHandler(
  exports: ModuleExports,
  name: string,
): string | undefined {
  const method = name.toUpperCase();
  const isFunction = () => typeof exports[name] === "function";
  const found = `export "${name}" is not a handler:`;
  if (name === "default") {
    return `${found} export handlers by the name of their method, such as "GET"`;
  }
  if (method === "TRACE" || method === "CONNECT") {
    return name === method || isFunction()
      ? `${found} routes handle ${METHODS.join(", ")}`
      : undefined;
  }
  // Only a function may be meant as a handler, so a constant named `options` is not
  // reported. A function named `query` usually reads a database.
  return isMethod(method) && method !== "QUERY" && isFunction()
    ? `${found} name it "${method}", in uppercase`
    : undefined;
}

/** The end of the message about an export in the wrong kind of file. */
const MISPLACED: Readonly<Record<string, string>> = {
  contract:
    "in a route file; move it to the middleware file of a folder, or its members to schema",
  errors:
    "in a route file; export it from the middleware file of a folder, or pass it in the option errors",
  schema: 'in a middleware file; name it "contract"',
};

/**
 * Describes an export without effect. It has a wrong name, such as `schemas` or `Schema`
 * instead of `schema`, or belongs in the other kind of file. Checks the form of the
 * value, since the program may use an export such as `schemas = { user }` itself.
 *
 * @param known The exports of this kind of file.
 */
function misnamedExport(
  exports: ModuleExports,
  name: string,
  known: Members,
): string | undefined {
  const found = `export "${name}" has no effect`;
  if (Object.hasOwn(MISPLACED, name) && hasChecks(exports[name])) {
    return `${found} ${MISPLACED[name]}`;
  }
  if (isMethod(name)) return undefined;
  const letters = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  const meant = Object.keys(known).find((name) =>
    name !== "default" && !isMethod(name) && isNear(letters, name)
  );
  if (meant === undefined) return undefined;
  const value = exports[name];
  if (value === exports[meant]) return undefined;
  const isMeant = looksLike(known[meant]!, value) ||
    // `schemas = { params, body }` may contain the parts of an exported `schema`.
    (meant === "schema" && !("schema" in exports) && hasChecks(value));
  return isMeant ? `${found}; name it "${meant}"` : undefined;
}

/**
 * Whether a value is valid, is an item of a list, or is an object with a valid member,
 * also in uppercase.
 */
function looksLike(form: Form, value: unknown): boolean {
  const { alternatives, items, members } = form;
  if (alternatives !== undefined) {
    return alternatives.some((form) => looksLike(form, value));
  }
  if (items !== undefined && !Array.isArray(value)) return fits(items, value);
  if (members === undefined || !isObject(value)) return fits(form, value);
  return Object.entries(members).some(([name, member]) =>
    [name, name.toUpperCase()].some((key) =>
      Object.hasOwn(value, key) && fits(member, value[key])
    )
  );
}

/** Whether a value is an error format, or an object with the schema of a part. */
function hasChecks(value: unknown): boolean {
  return isErrorFormat(value) ||
    isObject(value) && !isStandardSchema(value) &&
      SCHEMA_PARTS.some((part) => isStandardSchema(value[part]));
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
