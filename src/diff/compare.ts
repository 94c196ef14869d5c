import { isInRange } from "../core/common/media_type.ts";
import type { OpenApiDocument, Operation } from "../shared/types.ts";
import { readerOf, readTypes } from "../shared/wire.ts";
import { bodyChanges } from "./bodies.ts";
import { type Change, type Found, ruleOf, RULES, textOf } from "./change.ts";
import { type Part, partsOf } from "./operations.ts";
import { type Given, PartComparison, type Versions } from "./parts.ts";
import {
  isSuccess,
  type LocatedOperation,
  MAX_SERVERS,
  nameOf,
  pathsOf,
  Routing,
  type Server,
  urlText,
  versionsAt,
} from "./paths.ts";
import { SecurityComparison } from "./security.ts";

/** The operation of a change that concerns the whole document. */
const ALL = "all operations";

export class DocumentComparison {
  readonly #given: Given;
  /** The time at which to judge removed operations, in milliseconds. */
  readonly #at: number;
  readonly #parts: PartComparison;
  readonly #security: SecurityComparison;

  constructor({ at, ...given }: Given & { readonly at: Date }) {
    this.#given = given;
    this.#at = at.getTime();
    this.#parts = new PartComparison(given);
    this.#security = new SecurityComparison(given);
  }

  /** The changes, in the order of the old document. */
  async changes(): Promise<Change[]> {
    const changes = new Map<string, Change>();
    for await (const [operation, found] of this.#found()) {
      const key = JSON.stringify([operation, found.place, found.message]);
      // Several branches of a union may have one change.
      if (changes.get(key)?.verdict === "breaking") continue;
      changes.set(key, {
        ...{ verdict: "breaking", clients: "all", ...found },
        ...{ remedy: RULES[found.rule], operation },
      });
    }
    return [...changes.values()];
  }

  /** The changes, each with the name of its operation. */
  async *#found(): AsyncGenerator<readonly [operation: string, Found]> {
    const paths = pathsOf(this.#given.before);
    const routing = new Routing(paths, pathsOf(this.#given.after));
    const all = paths.flatMap(({ operations }) => Object.values(operations));
    const schemes = this.#security.schemes(all);
    for (const each of [...this.#servers(), ...schemes]) yield [ALL, each];
    for (const path of paths) {
      const servers = routing.servers(path);
      for (const [method, operation] of Object.entries(path.operations)) {
        const old = { method: method.toUpperCase(), path, operation };
        for (const server of servers) {
          for await (const each of this.#served(old, server)) {
            yield [nameOf(old), each];
          }
        }
        if (servers.length < MAX_SERVERS) continue;
        const message =
          `other paths may serve these URLs, too; only the first ${MAX_SERVERS} are compared`;
        const rule = "operation-hidden";
        yield [nameOf(old), { rule, place: "", message, verdict: "unknown" }];
      }
    }
  }

  /** The URLs of servers that are gone. */
  *#servers(): Generator<Found> {
    const { before, after } = this.#given;
    const [old, now] = [urlsOf(before), urlsOf(after)];
    const known = new Set(now.map(baseOf));
    for (const url of old.filter((each) => !known.has(baseOf(each)))) {
      const [gone, remaining] = [textOf(url), textOf(now)];
      const message = `server ${gone} is gone; remaining: ${remaining}`;
      const verdict = "unknown";
      yield { rule: "server-changed", place: "servers", message, verdict };
    }
  }

  /** The changes for the requests that a path of the new document serves. */
  async *#served(
    given: LocatedOperation,
    server: Server,
  ): AsyncGenerator<Found> {
    const versions = versionsAt(given, server, this.#parts.schemas.request);
    if (versions === undefined) return;
    const { old, now, isOwn } = versions;
    if (now === undefined) return yield* this.#removed(given, server);
    if (isOwn) yield* this.#named(given, now);
    const at = server.isPartial ? `at "${urlText(server)}": ` : "";
    for await (const each of this.#operation({ old, now })) {
      yield { ...each, message: at + each.message };
    }
  }

  /** The requests that no operation serves, unless the operation may end. */
  *#removed(
    { method, path, operation }: LocatedOperation,
    server: Server,
  ): Generator<Found> {
    if (endOf(operation) <= this.#at) return;
    const place = "";
    const count = server.urls.length - path.urls.length;
    if (server.isPartial) {
      const url = urlText(server);
      const message = `"${url}" has a route of its own, without ${method}`;
      yield { rule: "operation-hidden", place, message };
    } else if (count > 0) {
      const most = count === 1 ? "one segment is" : `${count} segments are`;
      const message = `only ${most} accepted`;
      yield { rule: "request-narrowed", place: "params", message };
    } else {
      const { "x-sunset": sunset } = operation;
      const until = sunset ? ` before its sunset on ${sunset}` : "";
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
  async *#operation(versions: Versions): AsyncGenerator<Found> {
    const [old, now] = [versions.old.operation, versions.now.operation];
    yield* this.#security.operation(old, now);
    yield* bodyChanges(old, now);
    for (const member of now["x-undescribed"] ?? []) {
      if (old["x-undescribed"]?.includes(member)) continue;
      const message = "the new schema has no JSON Schema";
      const verdict = "unknown";
      yield { rule: "refinement", place: member, message, verdict };
    }
    // Otherwise, one schema is that of all types.
    const byType = [old, now].some(({ requestBody }) =>
      requestBody?.["x-declared-types"]
    );
    const known = Object.keys(old.requestBody?.content ?? {});
    const before = partsOf(old, byType ? known : undefined);
    const after = partsOf(now, byType ? readTypes(now) : undefined);
    for (const entry of before) {
      const other = counterpart(entry, now, after);
      if (other !== undefined) {
        yield* this.#parts.changes(entry[1], other.schema, versions);
      } else if (isMissed(entry, now, after)) {
        const [place] = entry;
        const message = `"${place}" was removed`;
        yield { rule: "part-removed", place, message };
      }
    }
    const hasSuccess = before.keys().some(isSuccess);
    for (const [place, { direction }] of after) {
      if (before.has(place)) continue;
      if (place.startsWith("socket") && old["x-socket"]) {
        const message = "raw messages became JSON";
        yield { rule: ruleOf("", direction), place, message };
      } else if (hasSuccess && isSuccess(place)) {
        const message = `the new status ${place} may be sent`;
        yield { rule: "status-added", place, message, clients: "typed" };
      }
    }
  }
}

type Parts = ReadonlyMap<string, Part>;

/** The new version of a part. */
function counterpart(
  [key, { type }]: readonly [string, Part],
  now: Operation,
  after: Parts,
): Part | undefined {
  const known = after.get(type ? `body ${readerOf(now, type)}` : key);
  // A range, such as `image/*`, may have become one of its types.
  const [status, range = ""] = key.split(" ");
  return known ?? after.entries().find(([other]) => {
    const [newStatus, newType = ""] = other.split(" ");
    return newStatus === status && isInRange(newType, range);
  })?.[1];
}

/** Whether clients miss a part that was removed. */
function isMissed(
  [key, { part, type }]: readonly [string, Part],
  now: Operation,
  after: Parts,
): boolean {
  // The changes of the body name its removed types.
  if (part) return !type || !now.requestBody;
  // Clients treat an unknown 4xx like 400 (RFC 9110, section 15).
  const [status = ""] = key.split(" ");
  return key.startsWith("socket.") ||
    (key === status ? isSuccess(key) : after.has(status));
}

/** The time from which an operation may be removed. */
function endOf({ deprecated, "x-sunset": sunset }: Operation): number {
  const time = deprecated ? Date.parse(sunset ?? "") : NaN;
  return Number.isNaN(time) ? Infinity : time;
}

function urlsOf({ servers = [] }: OpenApiDocument): string[] {
  return servers.length === 0 ? ["/"] : servers.map(({ url }) => url);
}

/** The URL of a server without a slash at its end. */
function baseOf(url: string): string {
  return (URL.parse(url)?.href ?? url).replace(/\/$/, "");
}
