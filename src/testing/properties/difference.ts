import { isObject } from "../../common/values.ts";
import { type CapturePlace, identifierOf } from "../generate/pool.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";

/** A member whose value differs from what a response stated. */
export interface Difference {
  readonly name: string;
  readonly stated: unknown;
  readonly found: unknown;
}

/**
 * The first member that a response states otherwise than two later readings do. Only
 * plain values on which both readings agree are compared.
 */
export function differenceOf(
  stating: Exchange,
  readings: readonly [Exchange, Exchange],
  { names }: { readonly names: readonly string[] },
): Difference | undefined {
  const [stated, first, second] = [stating, ...readings].map(membersOf);
  for (const name of names) {
    const [a, b, c] = [stated![name], first![name], second![name]];
    if ([a, b, c].some((value) => !isScalar(value)) || b !== c) continue;
    // An identifier may be a number here, and a text there.
    if (String(a) !== String(b)) return { name, stated: a, found: b };
  }
  return undefined;
}

/** The members of the JSON of a response. */
export function membersOf(exchange: Exchange): Record<string, unknown> {
  const json = jsonOf(exchange);
  return isObject(json) ? json : {};
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** The names of the members of a body. */
export function memberNames(body: unknown): string[] {
  return isObject(body) ? Object.keys(body) : [];
}

/** The member that identifies what was created. */
export function identityNames(
  place: CapturePlace,
  created: Exchange,
): string[] {
  const { name } = place.segments.at(-1) as { readonly name: string };
  const members = membersOf(created);
  const id = identifierOf(place, members);
  return id === undefined ? [] : [members[name] === id ? name : "id"];
}
