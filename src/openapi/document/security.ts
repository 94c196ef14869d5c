import { closest } from "../../common/option_table.ts";
import type { RouteFault } from "../../faults.ts";
import { schemaKey } from "../../methods.ts";
import type { RouteInfo } from "../../options/plugin.ts";
import type { SecurityRequirement } from "../../types/schema.ts";
import type { DocumentOptions } from "../types.ts";

/**
 * Finds the security schemes that routes and the contracts around them name, and that
 * the document does not have: it would be no valid OpenAPI. Each contract is told once.
 */
export function unknownSchemes(
  routes: readonly RouteInfo[],
  options: DocumentOptions,
): RouteFault[] {
  const faults = new Map<string, RouteFault>();
  const find = (path: string, member: string, security: Security): void => {
    for (const fault of schemeFaults(member, security, options)) {
      faults.set(`${path} ${fault}`, { path, reason: fault });
    }
  };
  for (const { contracts, schema, methods, file } of routes) {
    for (const { contract, file } of contracts) {
      find(file, "contract", contract.security);
    }
    for (const method of methods) {
      const key = schemaKey(method);
      find(file, `schema.${key}`, schema[key]?.security);
    }
  }
  return [...faults.values()];
}

type Security = readonly SecurityRequirement[] | undefined;

/** What is wrong with the schemes that `security` of something names. */
export function schemeFaults(
  owner: string,
  security: Security = [],
  { securitySchemes = {} }: Pick<DocumentOptions, "securitySchemes">,
): string[] {
  const unknown = security.flatMap((requirement) => Object.keys(requirement))
    .filter((name) => !Object.hasOwn(securitySchemes, name));
  return [...new Set(unknown)].map((name) => {
    const near = closest(name, Object.keys(securitySchemes));
    const advice = near === undefined
      ? "add it to its option securitySchemes"
      : `did you mean "${near}"?`;
    return `${owner}.security names the scheme "${name}", which openapi() does not have; ${advice}`;
  });
}
