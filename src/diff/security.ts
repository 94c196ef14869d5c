import type { JsonSchema, Operation } from "../openapi/mod.ts";
import type { SecurityRequirement } from "../../mod.ts";
import { canonicalData } from "./canonical.ts";
import { type Found, textOf } from "./change.ts";
import type { Given } from "./parts.ts";

/** The members of a scheme, or of a flow, that are compared in another way. */
const OTHERS = /^(?:type|in|name|scheme|description|flows|scopes|x-.*)$/;

/** Compares the security of two documents. */
export class SecurityComparison {
  /** The old and the new schemes by name. */
  readonly #schemes: readonly Readonly<Record<string, JsonSchema>>[];

  constructor({ before, after }: Given) {
    this.#schemes = [before, after]
      .map(({ components }) => Object(components.securitySchemes));
  }

  /** The credentials that no longer suffice for an operation. */
  *operation(old: Operation, now: Operation): Generator<Found> {
    const place = "";
    const rule = "security-tightened";
    const [{ security: before = [] }, { security: after = [] }] = [old, now];
    const lost = before.filter((given) =>
      !after.some((needed) =>
        Object.entries(needed).every(([name, scopes]) =>
          given[name] !== undefined &&
          scopes!.every((scope) => given[name]!.includes(scope)) &&
          this.#isSentAlike(name)
        )
      )
    );
    if (lost.length > 0) {
      const [had, needs] = [lost, after]
        .map((all) => all.map(credentials).join(" or "));
      // A name alone would not identify the change of a scheme.
      const schemes = [...new Set(after.flatMap(Object.keys))]
        .filter((name) => !this.#isSentAlike(name))
        .map((name) => `; "${name}" became ${wireOf(this.#schemes[1]![name])}`);
      const message =
        `credentials ${had} no longer suffice; required: ${needs}`;
      yield { rule, place, message: message + schemes.join("") };
    }
    const [access, others] = [old, now].map((each) => each["x-access"]);
    if (access === undefined || others === undefined) return;
    const isKept = others.includes("public") ||
      access.every((each) => others.includes(each));
    if (isKept) return;
    const message = `access ${textOf(access)} became ${textOf(others)}`;
    yield { rule, place, message, verdict: "unknown" };
  }

  /** The changes of the schemes that operations require. */
  *schemes(operations: readonly Operation[]): Generator<Found> {
    const names = operations.flatMap(({ security = [] }) => security)
      .flatMap(Object.keys);
    for (const name of new Set(names)) {
      const [old, now] = this.#schemes.map((all) => all[name]);
      // An operation reports credentials that are sent in another way.
      if (!old || !now || !this.#isSentAlike(name)) continue;
      yield* changesOf(`securitySchemes#/${name}`, [old, now]);
    }
  }

  #isSentAlike(name: string): boolean {
    const [old, now] = this.#schemes.map((all) => wireOf(all[name]));
    return old === now;
  }
}

/** The changes of a scheme or of one of its flows. */
function* changesOf(
  place: string,
  [old, now]: readonly [old: JsonSchema, now: JsonSchema],
): Generator<Found> {
  const found = { rule: "scheme-changed", place } as const;
  const verdict = "unknown";
  const [flows, newFlows] = [old, now].map(({ flows }) => Object(flows));
  for (const [name, flow] of Object.entries<JsonSchema>(flows)) {
    const other = newFlows[name];
    if (other !== undefined) {
      yield* changesOf(`${place}/${name}`, [flow, other]);
    } else yield { ...found, message: `the flow "${name}" was removed` };
  }
  for (const name of Object.keys(Object(old.scopes))) {
    if (Object.hasOwn(Object(now.scopes), name)) continue;
    yield { ...found, message: `the scope "${name}" was removed`, verdict };
  }
  for (const [name, value] of Object.entries(old)) {
    const [text, newText] = [value, now[name]].map((each) => textOf(each));
    if (OTHERS.test(name) || text === newText) continue;
    yield { ...found, message: `"${name}" ${text} became ${newText}`, verdict };
  }
}

/** The names of the schemes of a requirement, with their scopes. */
function credentials(requirement: SecurityRequirement): string {
  const names = Object.entries(requirement)
    .map(([name, scopes]) => [name, ...scopes!].join(" "));
  return `"${names.join(" and ") || "none"}"`;
}

/** The members of a security scheme that decide which credentials it accepts. */
function wireOf(
  { type, in: place, name, scheme }: JsonSchema = {},
): string {
  const lower = (value: unknown) => value && String(value).toLowerCase();
  const sent = place === "header" ? lower(name) : name;
  return canonicalData({ type, in: place, name: sent, scheme: lower(scheme) });
}
