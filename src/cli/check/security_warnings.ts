import { isSafe, type Method, schemaKey } from "../../core/methods.ts";
import { contractsFor } from "../../core/schema/declaration.ts";
import type { Warning } from "../../core/start/discover.ts";
import { needsCredentials } from "../../core/start/modules.ts";
import type { RouteInfo } from "../../core/types/plugin.ts";
import { findTools } from "../../mcp/tools.ts";
import { warning } from "./rules.ts";

/**
 * Warns of methods without a guard. Only contracts count, since Bough cannot analyse the
 * code of middleware.
 */
export function securityWarnings(routes: readonly RouteInfo[]): Warning[] {
  return [
    ...routes.flatMap(unguarded),
    ...routes.flatMap(unguardedMethods),
    ...unguardedTools(routes),
  ];
}

/** Warns of methods that document security that no contract above requires. */
function unguarded({ schema, contracts, file }: RouteInfo): Warning[] {
  return Object.entries(schema)
    .filter(([method, { security }]) =>
      needsCredentials(security) &&
      !contractsFor(contracts, method.toUpperCase())
        .some(({ contract }) => needsCredentials(contract.security))
    )
    .map(([method]) =>
      warning(
        "unguarded",
        file,
        `schema.${method}.security is documented, but no contract above requires credentials; declare the security in the contract of the middleware that guards the route`,
      )
    );
}

/** Warns of methods that change data without a guard, if other changes have one. */
function unguardedMethods(route: RouteInfo): Warning[] {
  const changes = route.methods.filter((each) => !isSafe(each));
  const guarded = changes.find((each) =>
    needsCredentials(securityOf(route, each))
  );
  if (guarded === undefined) return [];
  return changes.filter((each) => securityOf(route, each) === undefined)
    .map((method) =>
      warning(
        "unguarded-method",
        route.file,
        `${guarded} requires credentials, but ${method} does not; guard ${method}, too, or set schema.${
          schemaKey(method)
        }.security to []`,
      )
    );
}

/** Warns of tools for agents that may change data without a guard. */
function unguardedTools(routes: readonly RouteInfo[]): Warning[] {
  return findTools(routes).tools
    .filter(({ method, route }) =>
      !isSafe(method) && !needsCredentials(securityOf(route, method))
    )
    .map(({ name, method, route }) =>
      warning(
        "unguarded-tool",
        route.file,
        `the tool "${name}" (${method} ${route.path}) may change data, but no level requires security; declare security in the contract of its guard`,
      )
    );
}

function securityOf({ operations }: RouteInfo, method: Method) {
  return operations.get(method)!.security?.value;
}
