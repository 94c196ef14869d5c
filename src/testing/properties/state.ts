import fc from "fast-check";
import { type Fault, seenOf, statusFault } from "../checks.ts";
import {
  hasDeclaredLength,
  type Input,
  planOf,
  unwrapBody,
} from "../generate/input.ts";
import { parameterNames } from "../generate/inputs.ts";
import { idNameOf, memberOf, unwrap } from "../generate/pool.ts";
import type { Operation } from "../operation.ts";
import { isAccepted } from "../report/report.ts";
import {
  type Search,
  search,
  validPlan,
  withInputs,
} from "../search/search.ts";
import { operationOfLocation } from "../search/subject.ts";
import type { Sender } from "../search/sender.ts";
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
import {
  createdOf,
  isDone,
  isGone,
  isInCookie,
  isSuccess,
  type Kind,
  kindOf,
  movedBy,
  plainInput,
  readResource,
  type Resource,
  send,
  sendTo,
  targetOf,
} from "./resource.ts";
import { Acceptance } from "./acceptance.ts";
import { type Change, successionFault } from "./succession.ts";
import { Views } from "./views.ts";

/** The number of resources to create with each `POST`. */
const RUNS = 50;

/** The maximum number of changes of each resource. */
const CHANGES = 2;

/** The number of different values that a member keeps if its values are kept at all. */
const KEPT = 3;

/**
 * When to read the views of a resource. A sibling must not show an item that was added
 * below the resource, and a successor with its identifier must show nothing of it.
 */
const SCOPE = fc.constantFrom(
  ...["never", "created", "created", "changed", "sibling", "successor"],
);

/** The values with which to create and change a resource. */
interface Lifecycle {
  readonly input: Input;
  readonly changes: readonly Change[];
  readonly scope: string;
}

interface Followed {
  resource: Resource;
  /** Its members at the latest reading. */
  state: Reading;
  /** The names of members whose values the client chose. */
  readonly chosen: Set<string>;
}

/**
 * Tests that resources keep the values that were sent, and that created resources can be
 * read, changed and deleted, and cannot be read after deletion.
 */
export async function stateProperty(
  sender: Sender,
  operation: Operation,
): Promise<Search | undefined> {
  // Only a response to an earlier request may show where a resource is.
  if (sender.history.length === 0) await sender.prepare();
  const kind = kindOf(sender, operation);
  if (kind === undefined) return undefined;
  const checks = new LifecycleChecks(sender, kind);
  const found = await withInputs(sender, operation, async (inputs) => {
    const changes: fc.Arbitrary<Change>[] = [];
    for (const change of kind.changes) {
      const found = await sender.inputsOf(change);
      if ("missing" in found) continue;
      changes.push(found.arbitrary.map((input) => [change, input]));
    }
    if (kind.create !== undefined) await checks.views.prepare();
    const values = fc.record({
      input: inputs,
      changes: changes.length === 0
        ? fc.constant([])
        : fc.array(fc.oneof(...changes), { minLength: 1, maxLength: CHANGES }),
      scope: SCOPE,
    });
    return await search(sender, values, {
      runs: Math.min(sender.subject.options.runs, RUNS),
      attempt: (lifecycle) => checks.faultOf(lifecycle),
    });
  });
  if (found.counterexample !== undefined) return found;
  const { acceptance, followed, isNameless } = checks;
  const note = isNameless && followed === 0
    ? `${operation.name} named no created resource by Location or identifier`
    : undefined;
  return acceptance.resultOf(sender, operation, {
    ...found,
    runs: followed,
    note: found.note ?? note,
  });
}

/** A request, which was accepted if it changed a resource. */
interface Sent {
  readonly operation: Operation;
  readonly input: Input;
  readonly exchange: Exchange;
}

/** The lifecycles of the resources of one kind. */
class LifecycleChecks {
  readonly #sender: Sender;
  readonly #kind: Kind;
  /** The name of the member that identifies a resource. */
  readonly #name: string;
  readonly views: Views;
  /** The values that members kept, as JSON. */
  readonly #kept = new Map<string, Set<string>>();
  /** The number of resources that could be read or changed. */
  followed = 0;
  /** Whether an accepted creation names no created resource, as after 202. */
  isNameless = false;
  readonly acceptance = new Acceptance();

  constructor(sender: Sender, kind: Kind) {
    this.#sender = sender;
    this.#kind = kind;
    this.views = new Views(sender, kind.read);
    this.#name = idNameOf(kind.read.route);
  }

  /** Creates, reads, changes and deletes a resource; returns the first fault. */
  async faultOf(lifecycle: Lifecycle): Promise<Fault | undefined> {
    const { input, changes, scope } = lifecycle;
    const { create, read, remove } = this.#kind;
    const { subject } = this.#sender;
    const created = create && {
      operation: create,
      input,
      exchange: await send(this.#sender, await validPlan(create, input)),
    };
    if (created) this.acceptance.add(create!, created.exchange.status);
    const resource = created ? this.#resourceOf(created) : { captures: input };
    if (resource === undefined) return await this.#namelessFault(created!);
    const first = await readResource(this.#sender, read, resource);
    if (created && isGone(first) && !isInCookie(created.exchange)) {
      return this.#missingFault("created", resource, first);
    }
    if (created) this.acceptance.add(read, first.status);
    if (created && isSuccess(first)) this.followed++;
    const reached = created && operationOfLocation(subject, created.exchange);
    const fault = await this.views.faultIn(reached?.operation ?? read, first);
    // A `PUT` may create the resource.
    if (fault !== undefined || created && !isSuccess(first)) return fault;
    const state = await this.#readingOf(resource, first);
    const followed: Followed = { resource, state, chosen: new Set() };
    if (created) {
      const fault = await this.#differenceFault(followed, created);
      if (fault !== undefined || resource.id === undefined) return fault;
      if (scope === "created") {
        const fault = await this.views.faultAfter(resource);
        if (fault !== undefined) return fault;
      }
    }
    if (scope === "successor" && remove !== undefined) {
      const succession = { input, first: resource, changes };
      return await successionFault(this.#sender, this.#kind, succession);
    }
    for (const [operation, input] of changes) {
      const fault = await this.#changeFault(followed, operation, input);
      if (fault !== undefined) return fault;
    }
    return created && await this.#endFault(followed.resource, lifecycle);
  }

  #resourceOf({ exchange, input }: Sent): Resource | undefined {
    const { create, read: { route: { segments } } } = this.#kind;
    const { subject } = this.#sender;
    return createdOf(subject, { create, segments }, exchange, input);
  }

  /** Reads a resource again, to find the members that do not vary. */
  async #readingOf(resource: Resource, first: Exchange): Promise<Reading> {
    const { read } = this.#kind;
    const second = await readResource(this.#sender, read, resource);
    return readingOf(read, [first, second]);
  }

  #missingFault(how: string, resource: Resource, exchange: Exchange): Fault {
    const target = targetOf(this.#kind.read, resource);
    const expected = `the ${how} resource at "${target}"`;
    return statusFault(200, { expected, ...seenOf(exchange) });
  }

  /** Reports an empty identifier in a response that names no resource. */
  async #namelessFault(
    { operation, input, exchange }: Sent,
  ): Promise<Fault | undefined> {
    this.isNameless ||= isAccepted(exchange.status);
    const name = this.#name;
    const { route } = this.#kind.read;
    const { members, envelope } = unwrap(route, jsonOf(exchange));
    const sent = await sentTo(operation, input, members);
    const isEmpty = members[name] === "" && sent[name] !== "";
    return !isEmpty || !isDone(exchange) || this.followed === 0 ? undefined : {
      expected: `"${name}" that identifies the created resource`,
      seen: `"${name}": ""`,
      assertion: `assertNotEquals(${sourceOf([...envelope, name])}, "");`,
    };
  }

  /**
   * Compares a resource with the response to its creation or change, with what was sent,
   * and with the resource before a `PATCH`. A `Location` must lead to such a resource.
   */
  async #differenceFault(
    { resource, state, chosen }: Followed,
    { operation, input, exchange }: Sent,
    before?: Reading,
  ): Promise<Fault | undefined> {
    const { read, isElsewhere } = this.#kind;
    if (isInCookie(exchange) || read.method === "HEAD") return undefined;
    const sent = await sentTo(operation, input, state.members);
    const { members, envelope } = unwrap(operation.route, jsonOf(exchange));
    const name = memberOf(read.route, members);
    const how = before === undefined ? "created" : "changed";
    const given = unwrapBody(input.body).members;
    const declared = parameterNames(operation, "body");
    const own = (members: Members) => ownMembers(read, members, state.envelope);
    const unnamed = own(pick(
      before?.members ?? {},
      (name) =>
        operation.method === "PATCH" && chosen.has(name) &&
        // A schema may add a default.
        (!(name in sent) || declared.includes(name) && !(name in given)) &&
        !state.volatile.includes(name),
    ));
    const none = Object.keys(unnamed).map((name) => [name, null]);
    const all = { ...Object.fromEntries(none), ...state.members };
    for (const [name, value] of Object.entries(sent)) {
      if (keeps(state, name, value)) chosen.add(name);
      else chosen.delete(name);
    }
    // With 200, the resource may have existed before.
    const isKnown = before === undefined && exchange.status === 200;
    const wanted = own(pick(
      sent,
      (member, value) =>
        !isKnown && member !== "id" && member !== this.#name &&
        (before === undefined
          ? this.#isKept(state, member, value)
          : isSame(before.members[member], state.members[member])),
    ));
    // A value within its declared length need not be shortened.
    const cut = pick(wanted, (name, value) => {
      const read = state.members[name];
      return typeof value === "string" && typeof read === "string" &&
        value.startsWith(read) && lettersOf(value) !== lettersOf(read) &&
        // SQLite ends a text at NUL.
        !value.includes("\0") && hasDeclaredLength(operation, name);
    });
    const fault = memberFault(state, members, {
      reason: `as in the response when the resource was ${how}`,
      shape: { ...sent, ...(name && { [name]: true }) },
    }) ?? memberFault(state, wanted, {
      reason: `as sent when the resource was ${how}`,
      isSame: mayBecome,
    }) ?? memberFault(state, cut, {
      reason: `as sent when the resource was ${how}`,
    }) ?? memberFault({ ...state, members: all }, unnamed, {
      reason: "as before the PATCH, which does not name it",
    });
    const stated = Object.keys(sent).find((name) => name in members);
    const isShown = Object.keys(sent).some((name) => name in state.members);
    const isRight = before || !isElsewhere || stated === undefined || isShown;
    return fault ?? (isRight ? undefined : {
      expected: "a Location that leads to the created resource",
      seen: `"${targetOf(read, resource)}", which is ${read.name}`,
      assertion: `assert(${JSON.stringify(stated)} in ${sourceOf(envelope)});`,
    });
  }

  /** Whether a member kept enough values for a sent value to be kept as well. */
  #isKept(state: Reading, name: string, value: unknown): boolean {
    const kept = this.#kept.getOrInsertComputed(name, () => new Set());
    if (keeps(state, name, value)) kept.add(JSON.stringify(value));
    // The server may merge items, and choose a value instead of an empty one.
    const isFree = typeof value === "object" ||
      typeof value === "string" && lettersOf(value) === "";
    return !isFree && kept.size >= KEPT;
  }

  /** Sends a request to a resource; `undefined` unless it has an effect now. */
  async #sendTo(
    resource: Resource,
    operation: Operation,
    input: Input,
  ): Promise<Sent | undefined> {
    const exchange = await sendTo(this.#sender, operation, resource, input);
    if (exchange === undefined) return undefined;
    this.acceptance.add(operation, exchange.status);
    return isDone(exchange) ? { operation, input, exchange } : undefined;
  }

  /** Changes a resource, and reads it again. */
  async #changeFault(
    followed: Followed,
    operation: Operation,
    input: Input,
  ): Promise<Fault | undefined> {
    const { create, read } = this.#kind;
    const { state: before } = followed;
    const changed = await this.#sendTo(followed.resource, operation, input);
    if (changed === undefined) return undefined;
    let after = await readResource(this.#sender, read, followed.resource);
    // A new title may lead to a new identifier.
    const moved = movedBy(read, followed.resource, changed.exchange);
    if (isGone(after) && moved !== undefined) {
      followed.resource = moved;
      after = await readResource(this.#sender, read, moved);
    }
    if (isGone(after)) {
      return this.#missingFault("changed", followed.resource, after);
    }
    if (!isSuccess(after)) return await this.views.faultIn(read, after);
    followed.state = await this.#readingOf(followed.resource, after);
    if (create === undefined) this.followed++;
    return await this.#differenceFault(followed, changed, before);
  }

  /** Adds an item below a resource, then deletes the resource. */
  async #endFault(
    resource: Resource,
    { input, changes, scope }: Lifecycle,
  ): Promise<Fault | undefined> {
    const { create, read, remove } = this.#kind;
    const isLate = scope !== "never" && scope !== "created";
    const late = isLate ? await this.views.faultAfter(resource) : undefined;
    if (late !== undefined) return late;
    const child = isLate ? await this.views.addChild(resource) : undefined;
    const [change, again] = changes.at(-1) ?? [];
    // A list in the body may replace the items.
    const isPlain = change && !planOf(change, again!).body?.includes("[");
    if (child && isPlain && await this.#sendTo(resource, change, again!)) {
      const lost = await this.views.lostFault(child, resource);
      if (lost !== undefined) return lost;
    }
    if (scope === "sibling") {
      const exchange = await send(this.#sender, planOf(create!, input));
      const next = this.#resourceOf({ operation: create!, input, exchange });
      return child && next?.id !== undefined && next.id !== resource.id
        ? await this.views.sharedFault(child, next)
        : undefined;
    }
    if (remove === undefined) return undefined;
    const foreign = await this.#otherParentFault(resource, remove);
    if (foreign !== undefined) return foreign;
    const removal = await plainInput(this.#sender, remove, resource.captures);
    if (!await this.#sendTo(resource, remove, removal)) return undefined;
    const after = await readResource(this.#sender, read, resource);
    if (isSuccess(after)) {
      return statusFault(404, {
        expected: `a 404, since "${targetOf(read, resource)}" was deleted`,
        seen: `a ${after.status}`,
      });
    }
    return scope === "never"
      ? undefined
      : await this.views.faultAfterDeletion(resource);
  }

  /** Finds a `DELETE` that deletes a resource although its path names another parent. */
  async #otherParentFault(
    resource: Resource,
    remove: Operation,
  ): Promise<Fault | undefined> {
    const { read } = this.#kind;
    const { params, wildcard } = resource.captures;
    const other = this.#sender.pool
      .capturesOf(read.route.segments.slice(0, -1)).find((each) =>
        Object.entries(each.params).some(([name, id]) => params[name] !== id)
      );
    if (other === undefined) return undefined;
    const captures = { params: { ...params, ...other.params }, wildcard };
    if (!isGone(await readResource(this.#sender, read, { captures }))) {
      return undefined;
    }
    const input = await plainInput(this.#sender, remove, captures);
    const removed = await this.#sendTo({ captures }, remove, input);
    if (removed === undefined) return undefined;
    const after = await readResource(this.#sender, read, resource);
    const { target } = removed.exchange.plan;
    const expected = `the resource at "${
      targetOf(read, resource)
    }", since ${remove.name} was sent to "${target}", where GET finds nothing`;
    return isGone(after)
      ? statusFault(200, { expected, ...seenOf(after) })
      : undefined;
  }
}
