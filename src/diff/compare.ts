import { isInRange } from "../core/common/media_type.ts";
import { contentFinder } from "../core/schema/declaration.ts";
import type { StandardSchemaIssue } from "../core/types/schema.ts";
import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
} from "../shared/types.ts";
import {
  bodyChanges,
  hasDeclaredTypes,
  knownTypes,
  readTypes,
} from "./bodies.ts";
import { canonical } from "./canonical.ts";
import { type Change, type Found, messageOf, RULES, textOf } from "./change.ts";
import {
  isSent,
  type Part,
  partsOf,
  type RequestPart,
  requestWith,
} from "./operations.ts";
import {
  isSuccess,
  type LocatedOperation,
  MAX_SERVERS,
  nameOf,
  pathsOf,
  Routing,
  type Server,
  versionsAt,
} from "./paths.ts";
import { type Narrowing, SchemaComparison } from "./schema.ts";
import { SecurityComparison } from "./security.ts";
import { opened } from "./validators.ts";

/**
 * Validates a value of a part of a request with the schemas of an application. Returns
 * the issues of the value; `undefined` if the schemas accept it. The type is the media
 * type of a body, if `content()` declares it.
 */
export type Refuse = (
  operation: string,
  part: RequestPart,
  value: unknown,
  type?: string,
) => Promise<readonly StandardSchemaIssue[] | undefined>;

/** Two versions of one operation, at the same path. */
type Versions = Readonly<Record<"old" | "now", LocatedOperation>>;

interface Difference extends Narrowing {
  readonly shown: readonly unknown[];
  /** Whether HTTP sends these values like values that both schemas accept. */
  readonly isOfTypes: boolean;
  readonly message: string;
}

/** The maximum number of values of one difference that the schemas of routes check. */
const MAX_WITNESSES = 10;

/** The operation of a change that concerns the whole document. */
const ALL = "all operations";

export class DocumentComparison {
  readonly #before: OpenApiDocument;
  readonly #after: OpenApiDocument;
  /** The time at which to judge removed operations, in milliseconds. */
  readonly #at: number;
  readonly #refuse: Refuse | undefined;
  readonly #schemas: Readonly<Record<Part["direction"], SchemaComparison>>;
  readonly #security: SecurityComparison;
  /** The differences of parts by the texts of their schemas. */
  readonly #known = new Map<string, readonly Difference[]>();

  constructor(
    before: OpenApiDocument,
    after: OpenApiDocument,
    { at, refuse }: { at: Date; refuse: Refuse | undefined },
  ) {
    this.#before = before;
    this.#after = after;
    this.#at = at.getTime();
    this.#refuse = refuse;
    const [old, now] = [withOpenSchemas(before), withOpenSchemas(after)];
    this.#schemas = {
      request: new SchemaComparison(before, after, "request"),
      response: new SchemaComparison(now, old, "response"),
    };
    this.#security = new SecurityComparison(before, after);
  }

  /** The changes, in the order of the old document. */
  async changes(): Promise<Change[]> {
    const changes = new Map<string, Change>();
    const add = (operation: string, found: Found) => {
      const key = JSON.stringify([operation, found.place, found.message]);
      // Several branches of a union may have one change.
      if (changes.get(key)?.verdict === "breaking") return;
      changes.set(key, {
        ...{ verdict: "breaking", clients: "all", ...found },
        ...{ remedy: RULES[found.rule], operation },
      });
    };
    const paths = pathsOf(this.#before);
    const routing = new Routing(paths, pathsOf(this.#after));
    const all = paths.flatMap(({ operations }) => Object.values(operations));
    this.#servers().forEach((each) => add(ALL, each));
    this.#security.schemes(all).forEach((each) => add(ALL, each));
    for (const path of paths) {
      const servers = routing.servers(path);
      for (const [key, operation] of Object.entries(path.operations)) {
        const old = { method: key.toUpperCase(), path, operation };
        for (const server of servers) {
          for await (const each of this.#served(old, server)) {
            add(nameOf(old), each);
          }
        }
        if (servers.length < MAX_SERVERS) continue;
        const message =
          `other paths may serve these URLs, too; only the first ${MAX_SERVERS} are compared`;
        const rule = "operation-hidden";
        add(nameOf(old), { rule, place: "", message, verdict: "unknown" });
      }
    }
    return [...changes.values()];
  }

  /** The URLs of servers that are gone. */
  *#servers(): Generator<Found> {
    const [old, now] = [this.#before, this.#after].map(({ servers = [] }) =>
      servers.length === 0 ? ["/"] : servers.map(({ url }) => url)
    ) as [string[], string[]];
    const known = new Set(now.map(baseOf));
    for (const url of old) {
      if (known.has(baseOf(url))) continue;
      const message = `server ${textOf(url)} is gone; remaining: ${
        textOf(now)
      }`;
      const verdict = "unknown";
      yield { rule: "server-changed", place: "servers", message, verdict };
    }
  }

  /** The changes for the requests that a path of the new document serves. */
  async *#served(
    given: LocatedOperation,
    server: Server,
  ): AsyncGenerator<Found> {
    const versions = versionsAt(given, server, this.#schemas.request);
    if (versions === undefined) return;
    const { old, now, isOwn } = versions;
    if (now === undefined) return yield* this.#removed(given, server);
    if (isOwn) yield* this.#named(given, now);
    const at = server.isPartial ? `at "${server.text}": ` : "";
    for await (const each of this.#parts({ old, now })) {
      yield { ...each, message: at + each.message };
    }
  }

  /** The requests that no operation serves, unless the operation may end. */
  *#removed(
    { method, path, operation }: LocatedOperation,
    { urls, text, isPartial }: Server,
  ): Generator<Found> {
    if (endOf(operation) <= this.#at) return;
    const place = "";
    const count = urls.length - path.urls.length;
    if (isPartial) {
      const message = `"${text}" has a route of its own, without ${method}`;
      yield { rule: "operation-hidden", place, message };
    } else if (count > 0) {
      const most = count === 1 ? "one segment is" : `${count} segments are`;
      const message = `only ${most} accepted`;
      yield { rule: "request-narrowed", place: "params", message };
    } else {
      const { "x-sunset": sunset } = operation;
      const until = sunset === undefined
        ? ""
        : ` before its sunset on ${sunset}`;
      const message = `the operation was removed${until}`;
      yield { rule: "operation-removed", place, message };
    }
  }

  /** The changes of names and dates, which no request shows. */
  *#named(old: LocatedOperation, now: LocatedOperation): Generator<Found> {
    const clients = "typed";
    const [id, newId] = [old, now].map((each) => each.operation.operationId);
    if (id !== newId) {
      const message = `operationId ${textOf(id)} became ${textOf(newId)}`;
      yield { rule: "operation-renamed", place: "", message, clients };
    }
    for (const [index, name] of old.path.names.entries()) {
      const newName = now.path.names[index];
      if (name === newName) continue;
      const message = `"${name}" became "${newName}"`;
      const place = `params#/${name}`;
      yield { rule: "parameter-renamed", place, message, clients };
    }
    const [end, newEnd] = [endOf(old.operation), endOf(now.operation)];
    // A first sunset may be any later date.
    const least = end < Infinity ? end : this.#at + 1;
    if (end > this.#at && newEnd < least) {
      const [date, newDate] = [old, now]
        .map(({ operation }) => textOf(operation["x-sunset"]));
      const message = `the sunset ${date} became ${newDate}`;
      yield { rule: "sunset-moved", place: "", message };
    }
  }

  /** Compares the security and the parts of two operations. */
  async *#parts(versions: Versions): AsyncGenerator<Found> {
    const { operation: old } = versions.old;
    const { operation: now } = versions.now;
    yield* this.#security.operation(old, now);
    yield* bodyChanges(old, now);
    for (const member of now["x-undescribed"] ?? []) {
      if (old["x-undescribed"]?.includes(member)) continue;
      const message = "the new schema has no JSON Schema";
      const verdict = "unknown";
      yield { rule: "refinement", place: member, message, verdict };
    }
    const byType = [old, now].some(hasDeclaredTypes);
    const before = partsOf(old, byType ? knownTypes(old) : undefined);
    const after = partsOf(now, byType ? readTypes(now) : undefined);
    // Clients treat an unknown 4xx like 400 (RFC 9110, section 15).
    const find = contentFinder(
      readTypes(now).map((mediaType) => ({ mediaType })),
    );
    for (const [key, part] of before) {
      const [status = "", type = ""] = key.split(" ");
      const newKey = part.type ? `body ${find(type)?.mediaType}` : key;
      const other = after.get(newKey) ??
        // A range, such as `image/*`, may have become one of its types.
        after.entries().find(([each]) =>
          each.startsWith(`${status} `) &&
          isInRange(each.slice(status.length + 1), type)
        )?.[1];
      if (other !== undefined) yield* this.#part(part, other.schema, versions);
      else if (
        // The changes of the body name its removed types.
        part.part && !(part.type && now.requestBody) ||
        key.startsWith("socket.") ||
        (key === status ? isSuccess(key) : after.has(status))
      ) {
        const message = `"${key}" was removed`;
        yield { rule: "part-removed", place: key, message };
      }
    }
    if (old["x-socket"] && now["x-socket"]) {
      for (const { place, direction } of after.values()) {
        if (before.has(place) || !place.startsWith("socket")) continue;
        const rule = direction === "request"
          ? "request-narrowed"
          : "response-widened";
        yield { rule, place, message: "raw messages became JSON" };
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
    { schema: before, direction, place, part, type }: Part,
    after: JsonSchema,
    { old, now }: Versions,
  ): AsyncGenerator<Found> {
    const isRequest = direction === "request";
    const pair = isRequest
      ? [before, after] as const
      : [after, before] as const;
    const schemas = this.#schemas[direction];
    if (schemas.areEqual(pair)) return;
    const refuse = this.#refuse;
    const issuesOf = part && refuse &&
      ((value: unknown) => refuse(nameOf(now), part, value, type));
    // A body without JSON Schema may read any member.
    const isDescribed = !now.operation["x-undescribed"]?.includes(place);
    const areStrings = place.endsWith("headers") ||
      part === "params" || part === "query";
    const key = [direction, part, ...pair.map(canonical)].join("\n");
    const found = this.#known.getOrInsertComputed(
      key,
      () =>
        schemas.compare(pair, part === "body").map((narrowing) => {
          const valuesFor = (isShown: (value: unknown) => boolean) =>
            schemas.witnesses(narrowing, pair, {
              isSent: (value) => isSent(part, value) && isShown(value),
              count: issuesOf === undefined ? 1 : MAX_WITNESSES,
            });
          const shown = valuesFor((value) =>
            !areStrings ||
            !schemas.acceptsStrings(pair, value, { inQuery: part === "query" })
          );
          // HTTP sends a number, or a list of one value, as a string, so only the type
          // differs.
          const others = shown.length > 0 ? [] : valuesFor(() => areStrings);
          return {
            ...narrowing,
            shown: [...shown, ...others],
            isOfTypes: others.length > 0,
            message: messageOf(
              narrowing,
              isRequest,
              () => schemas.digest(narrowing),
            ),
          };
        }),
    );
    for (const difference of found) {
      const { kind, keyword, pointer, clients, shown: values, isOfTypes } =
        difference;
      if (keyword === "properties" && !isDescribed) continue;
      const issues = issuesOf && await Promise.all(values.map(issuesOf));
      const refused = values
        .filter((_, index) => !issues || issues[index] !== undefined);
      const isShown = refused.length > 0;
      const [value] = refused;
      const isProven = isShown || kind === "stated" && !difference.isDoubtful;
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
        message: difference.message + kept,
        clients: isOfTypes || !isRequest && LIMITS.test(keyword)
          ? "typed"
          : clients,
        ...(!isProven && { verdict: "unknown" }),
        ...(isShown && { value }),
        ...(isShown && part && !isOfTypes && {
          request: requestWith(old, [part, value, type], this.#before),
        }),
      };
    }
    if (issuesOf === undefined) return;
    for (const value of schemas.examples(pair)) {
      if (!isSent(part, value)) continue;
      // The old schemas may refuse a value of a member that did not change, too.
      const issue = (await issuesOf(value))?.find(({ path = [] }) =>
        schemas.isChanged(
          pair,
          value,
          path.map((step) =>
            String(typeof step === "object" ? step.key : step)
          ),
        )
      );
      if (issue === undefined) continue;
      const message = `the schema of the route refuses ${
        textOf(value)
      }, which the document accepts: ${issue.message}`;
      const verdict = "unknown";
      return yield { rule: "refinement", verdict, place, message, value };
    }
  }
}

function withOpenSchemas(document: OpenApiDocument): OpenApiDocument {
  const { components: { schemas, ...rest } } = document;
  return { ...document, components: { ...rest, ...opened({ schemas }) } };
}

/** The time from which an operation may be removed. */
function endOf({ deprecated, "x-sunset": sunset }: Operation): number {
  const time = deprecated ? Date.parse(sunset ?? "") : NaN;
  return Number.isNaN(time) ? Infinity : time;
}

/** The URL of a server without a slash at its end. */
function baseOf(url: string): string {
  return (URL.parse(url)?.href ?? url).replace(/\/$/, "");
}

/** Keywords that only typed clients check in a response. */
const LIMITS =
  /^(?:enum|pattern|format|multipleOf|uniqueItems|min.+|max.+|exclusive.+)$/;
