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
 * Deletes a resource, and creates it again with the same input, several times. If the new
 * resource has the identifier of the old one, it must look like two resources without
 * parts, except for identifiers and times.
 */
export async function successionFault(
  sender: Sender,
  { create, read, changes: [put], remove }: Kind,
  { input, first, changes }: {
    readonly input: Input;
    readonly first: Resource;
    /** Changes to send before the last deletion. */
    readonly changes: readonly Change[];
  },
): Promise<Fault | undefined> {
  const { subject } = sender;
  const below = operationsBelow(subject, read.route)
    .filter((each) => !isLive(each));
  const views = below.filter(({ method }) => method === "GET");
  const isAdding = (operation: Operation) =>
    operation.responses.has(201) ||
    placeCreatedBy(subject, operation) !== undefined ||
    views.some(({ route }) => route === operation.route);
  const actions = below.filter(({ method }) => /^P/.test(method));
  /** The added parts of a resource, with the operations that read them. */
  const parts: [Operation, Resource][] = [];
  /** The responses that showed the two resources without parts. */
  const shown = new Map<Operation, Exchange[]>();
  // The resource may already have parts, or its existence may prevent its creation.
  await sendTo(sender, remove!, first);
  let id: string | undefined;
  for (const step of [() => {}, addParts, act, undefined]) {
    const plan = await validPlan((create ?? put)!, input);
    const exchange = await send(sender, plan);
    const resource = resourceOf(exchange);
    if (resource === undefined) {
      return id === undefined ? undefined : failureOf(exchange);
    }
    if ((id ??= resource.id) !== resource.id) return undefined;
    const fault = await faultIn(resource);
    if (fault !== undefined || step === undefined) return fault;
    await step(resource);
    const removed = await sendTo(sender, remove!, resource);
    if (removed === undefined || !isDone(removed)) return undefined;
  }
  return undefined;

  function resourceOf(exchange: Exchange): Resource | undefined {
    const { segments } = read.route;
    if (create !== undefined) {
      return createdOf(subject, { create, segments }, exchange, input);
    }
    const id = input.params[idNameOf(read.route)];
    return isDone(exchange) ? { captures: input, id } : undefined;
  }

  async function addParts(resource: Resource): Promise<void> {
    for (const operation of actions.filter(isAdding)) {
      const exchange = await sendTo(sender, operation, resource);
      const place = placeCreatedBy(subject, operation);
      const part = place && exchange &&
        createdOf(subject, place, exchange, resource.captures);
      const reader = place && operationOn(subject.operations, place);
      if (part !== undefined && reader !== undefined) {
        parts.push([reader, part]);
      }
    }
  }

  /** Calls the other operations, which may prevent the deletion. */
  async function act(resource: Resource): Promise<void> {
    for (const operation of actions) {
      if (!isAdding(operation)) await sendTo(sender, operation, resource);
    }
    for (const [operation, input] of changes) {
      await sendTo(sender, operation, resource, input);
    }
  }

  /** Reads a new resource, and finds parts of an old resource. */
  async function faultIn(resource: Resource): Promise<Fault | undefined> {
    const target = targetOf(read, resource);
    for (const view of [read, ...views]) {
      const exchange = view === read
        ? await readResource(sender, view, resource)
        : await sendTo(sender, view, resource);
      const seen = shown.getOrInsertComputed(view, () => []);
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
    for (const [reader, part] of parts) {
      const exchange = await readResource(sender, reader, part);
      if (!isSuccess(exchange)) continue;
      return statusFault(404, {
        expected: `a 404, since "${target}" was deleted and created again`,
        seen: `a ${exchange.status}, from ${reader.name}`,
      });
    }
    return undefined;
  }
}
