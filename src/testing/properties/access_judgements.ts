import { type Fault, seenOf } from "../checks.ts";
import { identifierOf, idNameOf, itemsOf } from "../generate/pool.ts";
import { REJECTED } from "../identity.ts";
import { accessOf, isLive, type Operation } from "../operation.ts";
import type { Life } from "../search/life.ts";
import { eventsOf } from "../send/exchange.ts";
import { allows, type Found, type Scene } from "./access_rules.ts";
import { isOpened } from "./live.ts";
import { partFault, sourceOf } from "./members.ts";
import { isGone, isSuccess, otherText } from "./resource.ts";

/**
 * Whether an attempt reaches its resource. A response as to a missing resource shows that
 * the request reaches nothing. A stream or a socket looks the same for each resource until
 * something is sent.
 */
export async function isReached(scene: Scene): Promise<boolean> {
  const { life, operation } = scene;
  const exchange = life.last("attempt")!;
  if (isLive(operation)) {
    return await isOpened(life.sender, operation, exchange);
  }
  return isSuccess(exchange) &&
    (life.last("missing") === undefined || revealed(scene) !== undefined);
}

export async function rejected(scene: Scene): Promise<Fault | undefined> {
  const { life, operation: { schema: { socket } } } = scene;
  if (!await isReached(scene)) return undefined;
  const expected = `a rejection of ${scene.named}, ${scene.since}`;
  if (socket) return { expected, seen: "an open socket" };
  const seen = seenOf(life.now.exchange);
  return { expected, ...seen, assertion: "assert(!response.ok);" };
}

/** Compares the response to an attempt with those to a missing resource. */
function revealed(scene: Scene): Fault | undefined {
  const { life, made: { id = "" } } = scene;
  const exchange = life.last("attempt")!;
  // Without a response, there is nothing to compare.
  const missing = exchange.status === undefined ? [] : life.all("missing");
  return partFault(exchange, missing, {
    ids: [id, otherText(id)],
    expected:
      `the response to a missing resource, since ${scene.named} must not learn that this one exists`,
  });
}

/** Checks that a resource of an owner looks like a missing one to other users. */
export function hidden(scene: Scene): Fault | undefined {
  const { life, operation, access, user } = scene;
  const reader = operation.method === "GET"
    ? operation
    : life.done.findLast(({ step }) => step.does === "read")?.step.operation;
  const readers = reader && accessOf(reader);
  const isSecret = access?.includes("owner") && user !== undefined &&
    operation.responses.has(404) && life.last("missing")?.status === 404 &&
    readers !== undefined && !allows(readers, user, { isOwner: false });
  return isSecret ? revealed(scene) : undefined;
}

/** Checks that a rejected request has changed nothing. */
export function untouched(scene: Scene): Fault | undefined {
  const { life: { done, now: { step, exchange } }, made: { id = "" } } = scene;
  const all = done.filter(({ step: { does, operation } }) =>
    does === "read" && operation === step.operation
  ).map(({ exchange }) => exchange);
  const before = exchange.status === undefined ? [] : all.slice(0, -1);
  return partFault(exchange, before, {
    ids: [id],
    expected: `the resource as before, since ${scene.named} was rejected`,
  });
}

/** Checks that what names a user does not reject the user, and hides nothing. */
export function notRejected(
  scene: Scene,
  found: Found,
): Fault | undefined {
  const { life, access = [], user, creator } = scene;
  const { exchange } = life.now;
  const { status, plan: { target } } = exchange;
  const isMeant = life.all("open").some(isSuccess) || user !== undefined &&
      (access.includes(user) || access.includes("owner") && user === creator ||
        found.values().some((isFound) => isFound));
  const isHidden = isGone(exchange) && life.all("read")
    .some((each) => each.plan.target === target && !isGone(each));
  if (!isHidden && !(isMeant && REJECTED.includes(status!))) return undefined;
  return {
    expected:
      `a response other than ${status} for ${scene.named}, ${scene.since}`,
    ...seenOf(exchange),
    assertion: `assertNotEquals(response.status, ${status});`,
  };
}

/** Checks that a list does not contain the resource. */
export function notListed(scene: Scene): Fault | undefined {
  const { life: { now: { exchange } }, made: { id }, creator } = scene;
  if (!isSuccess(exchange)) return undefined;
  const expected =
    `no resource of "${creator}" in the list of ${scene.named}, ${scene.since}`;
  const place = scene.listed!;
  const { items, path } = itemsOf(exchange);
  const isHere = (item: unknown) => String(identifierOf(place, item)) === id;
  const event = eventsOf(exchange.stream)
    .find(({ data }) => isHere(jsonIn(data)));
  const seen = `the identifier "${id}"`;
  if (event) return { expected, seen: `${seen} in an event "${event.event}"` };
  if (!items.some(isHere)) return undefined;
  const name = `item.${idNameOf(place)} ?? item.id ?? item`;
  const list = sourceOf(path!);
  return {
    expected,
    seen,
    assertion: `assert(!${list}.some((item) => (${name}) == ${
      JSON.stringify(id)
    }));`,
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Checks that a user whom an operation rejected before a change is still rejected. */
export function stillRejected(
  life: Life,
  { name }: Operation,
): Fault | undefined {
  const { exchange } = life.now;
  const { status, plan: { as } } = life.all("attempt")[0]!;
  const isRejected = REJECTED.includes(exchange.status ?? status!);
  return isRejected ? undefined : {
    expected: `a ${status} as before ${name}, since "${as}" has another role`,
    ...seenOf(exchange),
    assertion: `assertEquals(response.status, ${status});`,
  };
}
