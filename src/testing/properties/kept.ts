import type { Fault } from "../checks.ts";
import {
  hasDeclaredLength,
  type Input,
  unwrapBody,
} from "../generate/input.ts";
import { parameterNames } from "../generate/inputs.ts";
import { idNameOf, memberOf, unwrap } from "../generate/pool.ts";
import type { Operation } from "../operation.ts";
import type { Done, Judgement } from "../search/life.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import {
  isSame,
  keeps,
  lettersOf,
  mayBecome,
  memberFault,
  type Members,
  ownMembers,
  pick,
  type Reading,
  readingOf,
  sentTo,
  sourceOf,
} from "./members.ts";
import { isInCookie, type Kind } from "./resource.ts";

/** The number of different values that a member keeps if its values are kept at all. */
const KEPT = 3;

/** A request that created or changed a resource, and the resource before and after it. */
interface Write {
  readonly operation: Operation;
  readonly input: Input;
  readonly exchange: Exchange;
  /** The members that the request sent, as its schemas return them. */
  readonly sent: Members;
  readonly before: Reading | undefined;
  readonly after: Reading;
  /** The members that only earlier requests of the client named. */
  readonly unnamed: Members;
  readonly how: "created" | "changed";
  /** The path at which the resource was read. */
  readonly target: string;
}

/** The values that members kept in all lives, as JSON, by the name of the member. */
export type KeptValues = Map<string, Set<string>>;

/** Compares a resource of one life with what was sent, before and after each request. */
export class Keeper {
  readonly #kind: Kind;
  readonly #values: KeptValues;
  #state: Reading | undefined;
  /** The names of members whose values the client chose. */
  readonly #chosen = new Set<string>();

  constructor(kind: Kind, values: KeptValues) {
    this.#kind = kind;
    this.#values = values;
  }

  /** Judges the two latest readings of the resource, after the latest request. */
  readonly judge: Judgement = async (life) => {
    const { read } = this.#kind;
    const before = this.#state;
    const after = this.#state = readingOf(read, life.all("read").slice(-2));
    const write = life.done.findLast(({ step: { does } }) =>
      does === "create" || does === "change"
    );
    const isComparable = write !== undefined && read.method !== "HEAD" &&
      !isInCookie(write.exchange);
    return isComparable
      ? this.#faultOf({
        ...await this.#writeOf(write, before, after),
        target: life.last("read")!.plan.target,
      })
      : undefined;
  };

  async #writeOf(
    { step: { does, operation }, input, exchange }: Done,
    before: Reading | undefined,
    after: Reading,
  ): Promise<Omit<Write, "target">> {
    const sent = await sentTo(operation, input, after.members);
    const given = unwrapBody(input.body).members;
    const declared = parameterNames(operation, "body");
    const unnamed = pick(
      before?.members ?? {},
      (name) =>
        operation.method === "PATCH" && this.#chosen.has(name) &&
        // A schema may add a default.
        (!(name in sent) || declared.includes(name) && !(name in given)) &&
        !after.volatile.includes(name),
    );
    for (const [name, value] of Object.entries(sent)) {
      const isKept = keeps(after, name, value);
      if (isKept) this.#chosen.add(name);
      else this.#chosen.delete(name);
      if (!isKept || does !== "create") continue;
      this.#values.getOrInsertComputed(name, () => new Set())
        .add(JSON.stringify(value));
    }
    const how = does === "create" ? "created" : "changed";
    return {
      ...{ operation, input, exchange, sent, after, unnamed, how },
      before: how === "changed" ? before : undefined,
    };
  }

  /**
   * Compares a resource with the response to its creation or change, with what was sent,
   * and with the resource before a `PATCH`. A `Location` must lead to such a resource.
   */
  #faultOf(write: Write): Fault | undefined {
    const wanted = this.#wantedOf(write);
    return returnedFault(this.#kind, write) ??
      sentFault(write, wanted) ?? unnamedFault(this.#kind, write) ??
      elsewhereFault(this.#kind, write);
  }

  /** The sent members that the resource must have. */
  #wantedOf({ operation, sent, exchange, before, after }: Write): Members {
    // With 200, the resource may have existed before.
    if (before === undefined && exchange.status === 200) return {};
    const { read } = this.#kind;
    const wanted = pick(
      sent,
      (name, value) =>
        name !== "id" && name !== idNameOf(read.route) &&
        (before === undefined
          ? this.#isKept(name, value)
          : isSame(before.members[name], after.members[name]) ||
            isCut(operation, name, [value, after.members[name]])),
    );
    return ownMembers(read, wanted, after.envelope);
  }

  /** Whether a member kept enough values for a sent value to be kept as well. */
  #isKept(name: string, value: unknown): boolean {
    // The server may merge items, and choose a value instead of an empty one.
    const isFree = typeof value === "object" ||
      typeof value === "string" && lettersOf(value) === "";
    return !isFree && (this.#values.get(name)?.size ?? 0) >= KEPT;
  }
}

function returnedFault(
  { read }: Kind,
  { operation, exchange, sent, after, how }: Write,
): Fault | undefined {
  const { members } = unwrap(operation.route, jsonOf(exchange));
  const name = memberOf(read.route, members);
  return memberFault(after, members, {
    reason: `as in the response when the resource was ${how}`,
    shape: { ...sent, ...(name && { [name]: true }) },
  });
}

function sentFault(
  { operation, after, how }: Write,
  wanted: Members,
): Fault | undefined {
  const reason = `as sent when the resource was ${how}`;
  const cut = pick(
    wanted,
    (name, value) => isCut(operation, name, [value, after.members[name]]),
  );
  return memberFault(after, wanted, { reason, isSame: mayBecome }) ??
    memberFault(after, cut, { reason });
}

/** Whether a string was shortened although it is within its declared length. */
function isCut(
  operation: Operation,
  name: string,
  [sent, read]: readonly [unknown, unknown],
): boolean {
  return typeof sent === "string" && typeof read === "string" &&
    sent.startsWith(read) && lettersOf(sent) !== lettersOf(read) &&
    // SQLite ends a text at NUL.
    !sent.includes("\0") && hasDeclaredLength(operation, name);
}

function unnamedFault(
  { read }: Kind,
  { unnamed, after }: Write,
): Fault | undefined {
  const own = ownMembers(read, unnamed, after.envelope);
  const none = Object.keys(own).map((name) => [name, null]);
  const members = { ...Object.fromEntries(none), ...after.members };
  return memberFault({ ...after, members }, own, {
    reason: "as before the PATCH, which does not name it",
  });
}

function elsewhereFault(
  { read, isElsewhere }: Kind,
  { operation, exchange, sent, after, how, target }: Write,
): Fault | undefined {
  if (how === "changed" || !isElsewhere) return undefined;
  const { members, envelope } = unwrap(operation.route, jsonOf(exchange));
  const names = Object.keys(sent);
  const stated = names.find((name) => name in members);
  const isShown = names.some((name) => name in after.members);
  return stated === undefined || isShown ? undefined : {
    expected: "a Location that leads to the created resource",
    seen: `"${target}", which is ${read.name}`,
    assertion: `assert(${JSON.stringify(stated)} in ${sourceOf(envelope)});`,
  };
}
