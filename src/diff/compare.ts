import { shorten } from "../common/values.ts";
import { createExample } from "../openapi/examples/example.ts";
import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
} from "../openapi/types.ts";
import type { SecurityRequirement } from "../types/schema.ts";
import { canonical, canonicalData } from "./canonical.ts";
import {
  isSent,
  type Located,
  operationsOf,
  type Part,
  partsOf,
  renamed,
  type RequestPart,
  requestWith,
  type ShownRequest,
} from "./operations.ts";
import { type Clients, type Narrowing, SchemaComparison } from "./schema.ts";
import { opened } from "./validators.ts";

/** A change that breaks clients, or that cannot be judged. */
export interface Change {
  /** The verdict: `breaking`, or `unknown` if a person must decide. */
  readonly verdict: "breaking" | "unknown";
  /** The kind of change, such as `request-narrowed`. */
  readonly rule: keyof typeof RULES;
  /** The method and the path: `GET /api/books/{bookId}`. */
  readonly operation: string;
  /** The part of the operation, such as `body#/title`; empty for the whole operation. */
  readonly place: string;
  /** The difference. */
  readonly message: string;
  /** How to keep the clients working. */
  readonly remedy: string;
  /** The clients that break. */
  readonly clients: Clients;
  /**
   * A value that shows the change. In a request, the old document accepts the value, and
   * the new document refuses it. In a response, it is the other way round.
   */
  readonly value?: unknown;
  /** The request that shows the change. */
  readonly request?: ShownRequest;
}

/** The kinds of changes, with the remedy of each. */
export const RULES = {
  "operation-removed":
    'keep the operation, and declare "deprecated" with a "sunset" date; remove it after this date',
  "operation-renamed": "declare the old operationId",
  "parameter-renamed": "keep the name of the folder",
  "part-removed": "keep the part, or add a new operation",
  "request-narrowed": "accept the old values, or add a new operation",
  "request-ignored": "keep the member, or refuse it with a clear error",
  "default-changed": "keep the default, or add a new operation",
  "response-widened": "send only old values, or add a new operation",
  "status-added": "respond with a status that clients know",
  "security-tightened": "accept the old credentials until all clients change",
  "refinement": "compare the schemas by hand",
} as const;

/**
 * Validates a value of a part of a request with the schemas of an application. Returns
 * the first reason to refuse the value; `undefined` if the schemas accept it.
 */
export type Refuse = (
  operation: string,
  part: RequestPart,
  value: unknown,
) => Promise<string | undefined>;

/** A change; by default, it breaks all clients. */
type Found = Pick<Change, "rule" | "place" | "message"> & Partial<Change>;

/** Two versions of one operation, with the same names of path parameters. */
interface Versions {
  readonly old: Located;
  readonly now: Located;
  readonly refuse: Refuse | undefined;
}

/** Compares two documents. */
export class DocumentComparison {
  readonly #before: OpenApiDocument;
  readonly #after: OpenApiDocument;
  readonly #at: Date;
  readonly #schemas: Readonly<Record<Part["direction"], SchemaComparison>>;

  constructor(before: OpenApiDocument, after: OpenApiDocument, at: Date) {
    this.#before = before;
    this.#after = after;
    this.#at = at;
    const [old, now] = [opened(before), opened(after)];
    this.#schemas = {
      request: new SchemaComparison(before, after, "request"),
      response: new SchemaComparison(now, old, "response"),
    };
  }

  /** The changes, in the order of the old document. */
  async changes(refuse: Refuse | undefined): Promise<Change[]> {
    const changes = new Map<string, Change>();
    const known = operationsOf(this.#after);
    for (const [key, before] of operationsOf(this.#before)) {
      const now = known.get(key);
      const old = now === undefined ? before : renamed(before, now);
      const found = [
        ...this.#declared(before, now),
        ...now === undefined
          ? []
          : await Array.fromAsync(this.#parts({ old, now, refuse })),
      ];
      const { name: operation } = before;
      for (const each of found) {
        // Several branches of a union may have one change.
        changes.set(JSON.stringify([operation, each.place, each.message]), {
          ...{ verdict: "breaking", clients: "all", ...each },
          ...{ remedy: RULES[each.rule], operation },
        });
      }
    }
    return [...changes.values()];
  }

  /** The changes that no value shows. */
  *#declared(old: Located, now: Located | undefined): Generator<Found> {
    if (now === undefined) {
      const { deprecated, "x-sunset": sunset } = old.operation;
      if (deprecated && Date.parse(sunset ?? "") <= this.#at.getTime()) return;
      const until = sunset === undefined
        ? ""
        : ` before its sunset on ${sunset}`;
      const message = `the operation was removed${until}`;
      return yield { rule: "operation-removed", place: "", message };
    }
    const clients = "typed";
    const [id, newId] = [old, now].map((each) => each.operation.operationId);
    if (id !== newId) {
      const message = `operationId ${text(id)} became ${text(newId)}`;
      yield { rule: "operation-renamed", place: "", message, clients };
    }
    for (const [index, name] of old.names.entries()) {
      if (now.names[index] === name) continue;
      const message = `"${name}" became "${now.names[index]}"`;
      const place = `params#/${name}`;
      yield { rule: "parameter-renamed", place, message, clients };
    }
    yield* this.#security(old.operation, now.operation);
    const [isOpen, isStillOpen] = [old, now].map(({ operation }) =>
      operation.parameters?.some((each) => each["x-wildcard"])
    );
    if (isOpen && !isStillOpen) {
      const message = "only one segment is accepted";
      yield { rule: "request-narrowed", place: "params", message };
    }
    const [had, needs] = [old, now]
      .map(({ operation }) => operation.requestBody?.required);
    if (needs && !had) {
      const message = "requests without a body are refused";
      yield { rule: "request-narrowed", place: "body", message };
    }
  }

  /** Compares the schemas of the parts of two operations. */
  async *#parts(versions: Versions): AsyncGenerator<Found> {
    const before = partsOf(versions.old.operation, this.#before);
    const after = partsOf(versions.now.operation, this.#after);
    // Clients treat an unknown 4xx like 400 (RFC 9110, section 15).
    const isSuccess = (status: string) => Number(status) < 400;
    for (const [key, part] of before) {
      const other = after.get(key);
      const [status = ""] = key.split(" ");
      if (other !== undefined) yield* this.#part(part, other.schema, versions);
      else if (
        part.part || (key === status ? isSuccess(key) : after.has(status))
      ) {
        const message = `"${key}" was removed`;
        yield { rule: "part-removed", place: key, message };
      }
    }
    if (!before.keys().some(isSuccess)) return;
    for (const place of after.keys()) {
      if (before.has(place) || !isSuccess(place)) continue;
      const message = `the new status ${place} may be sent`;
      yield { rule: "status-added", place, message, clients: "typed" };
    }
  }

  /** Compares two schemas of one part, and shows each difference with a value. */
  async *#part(
    { schema: before, direction, place, part }: Part,
    after: JsonSchema,
    { old, now, refuse }: Versions,
  ): AsyncGenerator<Found> {
    const isRequest = direction === "request";
    const pair = isRequest
      ? [before, after] as const
      : [after, before] as const;
    const schemas = this.#schemas[direction];
    const reasonOf = part && refuse &&
      ((value: unknown) => refuse(now.name, part, value));
    const found = schemas.compare(pair);
    for (const narrowing of found) {
      const { kind, keyword, pointer, clients } = narrowing;
      const values = schemas
        .witnesses(narrowing, pair, (value) => isSent(part, value));
      const reasons = reasonOf && await Promise.all(values.map(reasonOf));
      const refused = values
        .filter((_, index) => !reasons || reasons[index] !== undefined);
      const isShown = refused.length > 0;
      const [value] = refused;
      const kept = values.length > 0 && !isShown
        ? "; but the schema of the route accepts the value"
        : "";
      yield {
        rule: kind !== "stated"
          ? isRequest ? "request-narrowed" : "response-widened"
          : keyword === "default"
          ? "default-changed"
          : "request-ignored",
        place: `${place}#${pointer}`,
        message: messageOf(narrowing, isRequest) + kept,
        clients: !isRequest && LIMITS.test(keyword) ? "typed" : clients,
        ...(kind !== "stated" && !isShown && { verdict: "unknown" }),
        ...(isShown && { value }),
        ...(isShown && part && {
          request: requestWith(old, [part, value], this.#before),
        }),
      };
    }
    if (reasonOf === undefined || found.length === 0) return;
    const value = createExample(after, { root: this.#after });
    if (!schemas.narrow.accepts(after, value)) return;
    const reason = await reasonOf(value);
    if (reason === undefined) return;
    const message = `the schema of the route refuses ${
      text(value)
    }, which the document accepts: ${reason}`;
    yield { rule: "refinement", verdict: "unknown", place, message, value };
  }

  *#security(old: Operation, now: Operation): Generator<Found> {
    const documents = [this.#before, this.#after];
    const [before, after] = [old, now].map(({ security }, index) => {
      const all = security ?? documents[index]!.security ?? [];
      return all.length === 0 ? [{}] : all;
    }) as [SecurityRequirement[], SecurityRequirement[]];
    const [schemes, newSchemes] = documents.map(({ components }) =>
      components.securitySchemes ?? {}
    ) as [Record<string, object>, Record<string, object>];
    const lost = before.filter((given) =>
      !after.some((needed) =>
        Object.entries(needed).every(([name, scopes]) =>
          given[name] !== undefined &&
          scopes!.every((scope) => given[name]!.includes(scope)) &&
          wireOf(schemes[name]) === wireOf(newSchemes[name])
        )
      )
    );
    if (lost.length === 0) return;
    const [had, needs] = [lost, after].map((all) =>
      all.map(credentials).join(" or ")
    );
    const message = `credentials ${had} no longer suffice; required: ${needs}`;
    yield { rule: "security-tightened", place: "", message };
  }
}

/** Keywords that only typed clients check in a response. */
const LIMITS =
  /^(?:enum|pattern|format|multipleOf|uniqueItems|min.+|max.+|exclusive.+)$/;

/** The names of the schemes of a requirement, with their scopes. */
function credentials(requirement: SecurityRequirement): string {
  const names = Object.entries(requirement)
    .map(([name, scopes]) => [name, ...scopes!].join(" "));
  return `"${names.join(" and ") || "none"}"`;
}

/** The members of a security scheme that decide which credentials it accepts. */
function wireOf(scheme: object | undefined): string {
  const { type, in: place, name, scheme: kind } = (scheme ?? {}) as JsonSchema;
  return canonical([type, place, name, String(kind).toLowerCase()]);
}

function messageOf(
  { keyword, wide, narrow, kind, pointer }: Narrowing,
  isRequest: boolean,
): string {
  if (kind === "unknown") return `the keyword "${keyword}" is not compared`;
  const name = pointer.split("/").at(-1);
  const [old, now] = isRequest ? [wide, narrow] : [narrow, wide];
  switch (keyword) {
    case "allOf":
      return "a combination of keywords changed";
    case "properties":
      return `"${name}" is ignored`;
    case "required":
      return isRequest
        ? `"${name}" became required`
        : `"${name}" may be missing`;
    case "type":
      if (!isRequest || String(now) !== "") break;
      return name === "*"
        ? "undeclared members or items are refused"
        : `"${name}" is refused`;
    case "enum":
      if (!Array.isArray(wide) || !Array.isArray(narrow)) break;
      return isRequest
        ? `${wide.map(canonicalData).join(", ")} is no longer accepted`
        : `the new value ${wide.map(canonicalData).join(", ")} may be sent`;
  }
  return old === undefined
    ? `"${keyword}" became ${text(now)}`
    : now === undefined
    ? `"${keyword}" ${text(old)} was removed`
    : `"${keyword}" ${text(old)} became ${text(now)}`;
}

/** The longest text of a value to show. */
const MAX_TEXT = 200;

function text(value: unknown): string {
  return value === undefined
    ? "nothing"
    : shorten(canonicalData(value), MAX_TEXT);
}
