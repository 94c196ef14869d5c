import { failureOf, type Fault, statusFault } from "../checks.ts";
import type { Input } from "../generate/input.ts";
import { idNameOf, operationOn } from "../generate/pool.ts";
import { isLive, type Operation } from "../operation.ts";
import { validPlan } from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { placeCreatedBy } from "../search/subject.ts";
import type { Exchange } from "../send/exchange.ts";
import { partFault } from "./members.ts";
import {
  createdOf,
  isDone,
  isSuccess,
  type Kind,
  operationsBelow,
  readResource,
  type Resource,
  send,
  sendTo,
  targetOf,
} from "./resource.ts";

/** A request that changes a resource. */
export type Change = readonly [Operation, Input];

/**
 * Deletes a resource, and creates it again with the same input. If the new resource has
 * the identifier of the old one, it must look like two resources without parts, except
 * for identifiers and times.
 */
export class Succession {
  readonly #sender: Sender;
  readonly #kind: Kind;
  readonly #input: Input;
  /** The operations that show the resource. */
  readonly #views: readonly Operation[];
  /** The operations that add parts below the resource. */
  readonly #adding: readonly Operation[];
  /** The other operations below the resource, which may prevent its deletion. */
  readonly #acting: readonly Operation[];
  /** The added parts of a resource, with the operations that read them. */
  readonly #parts: [Operation, Resource][] = [];
  /** The responses that showed the two resources without parts. */
  readonly #seen = new Map<Operation, Exchange[]>();

  constructor(sender: Sender, kind: Kind, input: Input) {
    this.#sender = sender;
    this.#kind = kind;
    this.#input = input;
    const below = operationsBelow(sender.subject, kind.read.route)
      .filter((each) => !isLive(each));
    const views = below.filter(({ method }) => method === "GET");
    this.#views = [kind.read, ...views];
    const isAdding = (operation: Operation) =>
      operation.responses.has(201) ||
      placeCreatedBy(sender.subject, operation) !== undefined ||
      views.some(({ route }) => route === operation.route);
    const changes = below.filter(({ method }) => /^P/.test(method));
    this.#adding = changes.filter(isAdding);
    this.#acting = changes.filter((each) => !isAdding(each));
  }

  /**
   * Deletes and creates the resource several times; returns the first fault.
   *
   * @param changes Changes to send before the last deletion.
   */
  async faultOf(
    first: Resource,
    changes: readonly Change[],
  ): Promise<Fault | undefined> {
    const { remove } = this.#kind;
    // The resource may already have parts, or its existence may prevent its creation.
    await sendTo(this.#sender, remove!, first);
    const steps = [
      () => {},
      (old: Resource) => this.#add(old),
      async (old: Resource) => {
        for (const each of this.#acting) {
          await sendTo(this.#sender, each, old);
        }
        for (const change of changes) {
          await sendTo(this.#sender, change[0], old, change[1]);
        }
      },
      undefined,
    ];
    let id: string | undefined;
    for (const step of steps) {
      const exchange = await this.#create();
      const resource = this.#resourceOf(exchange);
      if (resource === undefined) {
        return id === undefined ? undefined : failureOf(exchange);
      }
      if ((id ??= resource.id) !== resource.id) return undefined;
      const fault = await this.#faultIn(resource);
      if (fault !== undefined || step === undefined) return fault;
      await step(resource);
      const removed = await sendTo(this.#sender, remove!, resource);
      if (removed === undefined || !isDone(removed)) return undefined;
    }
    return undefined;
  }

  async #create(): Promise<Exchange> {
    const { create, changes: [put] } = this.#kind;
    const plan = await validPlan((create ?? put)!, this.#input);
    return await send(this.#sender, plan);
  }

  #resourceOf(exchange: Exchange): Resource | undefined {
    const { create, read: { route } } = this.#kind;
    const { segments } = route;
    if (create !== undefined) {
      const place = { create, segments };
      return createdOf(this.#sender.subject, place, exchange, this.#input);
    }
    const id = this.#input.params[idNameOf(route)];
    return isDone(exchange) ? { captures: this.#input, id } : undefined;
  }

  async #add(resource: Resource): Promise<void> {
    for (const operation of this.#adding) {
      const exchange = await sendTo(this.#sender, operation, resource);
      const place = placeCreatedBy(this.#sender.subject, operation);
      const part = place && exchange &&
        createdOf(this.#sender.subject, place, exchange, resource.captures);
      const read = place && operationOn(this.#sender.subject.operations, place);
      if (part !== undefined && read !== undefined) {
        this.#parts.push([read, part]);
      }
    }
  }

  /** Reads a new resource, and finds parts of an old resource. */
  async #faultIn(resource: Resource): Promise<Fault | undefined> {
    const [read] = this.#views;
    const target = targetOf(read!, resource);
    for (const view of this.#views) {
      const exchange = view === read
        ? await readResource(this.#sender, view, resource)
        : await sendTo(this.#sender, view, resource);
      const seen = this.#seen.getOrInsertComputed(view, () => []);
      if (exchange === undefined) continue;
      if (seen.length < 2) {
        seen.push(exchange);
        continue;
      }
      const fault = partFault(exchange, seen, {
        ids: [resource.id!],
        expected:
          `"${exchange.plan.target}" as after the first creation of "${target}", which was deleted and created again`,
      });
      if (fault !== undefined) return fault;
    }
    for (const [view, part] of this.#parts) {
      const exchange = await readResource(this.#sender, view, part);
      if (!isSuccess(exchange)) continue;
      const expected = `a 404, since "${target}" was deleted and created again`;
      return statusFault(404, {
        expected,
        seen: `a ${exchange.status}, from ${view.name}`,
      });
    }
    return undefined;
  }
}
