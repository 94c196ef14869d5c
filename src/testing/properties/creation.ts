import fc from "fast-check";
import type { Input } from "../generate/input.ts";
import { keyOf, type Path } from "../generate/pool.ts";
import type { Operation } from "../operation.ts";
import { type Life, NOWHERE, type Part, type Step } from "../search/life.ts";
import type { Sender } from "../search/sender.ts";
import { createdOf, type Resource } from "./resource.ts";

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
    const path = keyOf(place.segments);
    // `POST /checkout` may create what `GET /orders/[id]` reads.
    const create = place.create ?? sender.locationReaders.entries()
      .find(([, { route }]) => keyOf(route.segments) === path)?.[0];
    return create === undefined ? [] : [{ ...place, create }];
  });
  return segments.flatMap((segment, index) => {
    const path = keyOf(segments.slice(0, index + 1));
    const exact = creatable.find((place) => keyOf(place.segments) === path);
    if (exact !== undefined) return [exact];
    // `/stock/[bookId]` belongs to `/books/[bookId]`.
    const named = creatable.find((place) =>
      segment.kind === "dynamic" && segment.name !== "id" &&
      keyOf(place.segments.slice(-1)) === keyOf([segment])
    );
    return named === undefined ? [] : placesOf(sender, named.segments);
  });
}

/** Sends a request as a user; by default, as the user of its operation. */
export function by(user: User): Step["sends"] & object {
  return (plan) => ({ ...plan, as: user ?? plan.as });
}

/** The first user whom the guard of the outermost resource accepts. */
export function creatorOf([outermost]: readonly CreatedPlace[]): User {
  return outermost?.create.as?.name;
}

/**
 * Creates a resource as a user, by default the first user whom the guard accepts. The
 * resources above may belong to another user. Returns `undefined` without the resource.
 */
export type Create = (
  life: Life,
  users?: { readonly user?: User; readonly above?: User },
) => Part<Resource | undefined>;

/**
 * Functions that create the resources of places, each below the one before, and return
 * the last resource; `undefined` if there are no inputs.
 */
export async function creationsOf(
  sender: Sender,
  places: readonly CreatedPlace[],
): Promise<fc.Arbitrary<Create> | undefined> {
  const all: fc.Arbitrary<Input>[] = [];
  for (const { create } of places) {
    const inputs = await sender.inputsOf(create);
    if ("missing" in inputs) return undefined;
    all.push(inputs.arbitrary);
  }
  const first = creatorOf(places);
  return fc.tuple(...all).map((inputs) =>
    function* (life, { user = first, above = user } = {}) {
      let resource: Resource = NOWHERE;
      for (const [index, place] of places.entries()) {
        const sends = by(place === places.at(-1) ? user : above);
        const step = { does: "create", operation: place.create, sends };
        const exchange = yield { ...step, input: inputs[index], of: resource };
        const made = exchange &&
          createdOf(sender.subject, place, exchange, life.now.input);
        if (made?.id === undefined) return undefined;
        resource = made;
      }
      return resource;
    }
  );
}
