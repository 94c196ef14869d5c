import fc from "fast-check";
import type { Input } from "../generate/input.ts";
import { keyOf, type Path } from "../generate/pool.ts";
import type { Operation } from "../operation.ts";
import { NOWHERE, OWN, type Step } from "../search/life.ts";
import type { Sender } from "../search/sender.ts";
import { createdOf } from "./resource.ts";

/** A path whose resources an operation creates. */
export interface CreatedPlace extends Path {
  readonly create: Operation;
}

/** The name of an identity; `undefined` for requests without credentials. */
export type User = string | undefined;

/** The places on a path whose resources a `POST` creates, outermost first. */
export function placesOf(
  sender: Sender,
  segments: Path["segments"],
): CreatedPlace[] {
  const creatable = sender.subject.places.flatMap((place) => {
    // `POST /checkout` may create what `GET /orders/[id]` reads.
    const [creator] = [...sender.locationReaders].find(([, { route }]) =>
      keyOf(route.segments) === keyOf(place.segments)
    ) ?? [];
    const create = place.create ?? creator;
    return create === undefined ? [] : [{ ...place, create }];
  });
  return segments.flatMap((segment, index) => {
    if (segment.kind === "static") return [];
    const path = keyOf(segments.slice(0, index + 1));
    const exact = creatable.find((place) => keyOf(place.segments) === path);
    if (exact !== undefined) return [exact];
    // `/stock/[bookId]` belongs to `/books/[bookId]`.
    const named = creatable.find((place) =>
      keyOf(place.segments.slice(-1)) === keyOf([segment]) &&
      segment.kind === "dynamic" && segment.name !== "id"
    );
    return named === undefined ? [] : placesOf(sender, named.segments);
  });
}

/** Inputs that create a resource of each place; `undefined` if there are none. */
export async function creationInputs(
  sender: Sender,
  places: readonly CreatedPlace[],
): Promise<fc.Arbitrary<Input[]> | undefined> {
  const all: fc.Arbitrary<Input>[] = [];
  for (const { create } of places) {
    const inputs = await sender.inputsOf(create);
    if ("missing" in inputs) return undefined;
    all.push(inputs.arbitrary);
  }
  return fc.tuple(...all);
}

/** The first user whom the guard of the outermost resource accepts. */
export function creatorOf([outermost]: readonly CreatedPlace[]): User {
  return outermost?.create.as?.name;
}

/** Sends a request as a user; by default, as the user of its operation. */
export function by(user: User): Step["sends"] & object {
  return (plan) => ({ ...plan, as: user ?? plan.as });
}

/**
 * Creates the resources of places, each below the one before, and names the last one.
 *
 * @param options `user` creates this resource, and by default also `above`, which creates
 * the others. Without one that is needed, the life shows nothing.
 */
export function creation(
  { subject }: Sender,
  {
    places,
    inputs,
    user = creatorOf(places),
    above = user,
    name = OWN,
    ...rest
  }:
    & Pick<Step, "isNeeded">
    & {
      readonly places: readonly CreatedPlace[];
      readonly inputs: readonly Input[];
      readonly user?: User;
      readonly above?: User;
      readonly name?: string;
    },
): Step[] {
  const outer = `above ${name}`;
  return places.map((place, index) => {
    const isLast = index === places.length - 1;
    return {
      ...rest,
      does: "create",
      operation: place.create,
      input: inputs[index],
      of: index === 0 ? NOWHERE : outer,
      sends: by(isLast ? user : above),
      makes: [
        isLast ? name : outer,
        ({ now: { exchange, input } }) =>
          createdOf(subject, place, exchange, input),
      ],
    };
  });
}
