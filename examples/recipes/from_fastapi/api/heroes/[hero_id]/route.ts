import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { Hero, HeroPublic, heroStore, HeroUpdate } from "../../../heroes.ts";

const params = z.object({ hero_id: z.coerce.number().int() });

export const schema = {
  get: { params, response: { 200: HeroPublic, 404: Problem } },
  patch: {
    params,
    body: HeroUpdate,
    response: { 200: HeroPublic, 404: Problem },
  },
  delete: {
    params,
    response: { 200: z.object({ ok: z.literal(true) }), 404: Problem },
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { hero_id } = request.validated.params;
  return respond(schema.get, 200, heroStore.get(request).get(hero_id));
}

export function PATCH(
  request: FrameworkRequest<typeof schema.patch>,
): Response {
  const { params: { hero_id }, body } = request.validated;
  const heroes = heroStore.get(request);
  // `exclude_unset`: the body has only the members that the client sent.
  const hero = Hero.parse({ ...heroes.get(hero_id), ...body });
  heroes.update(hero);
  return respond(schema.patch, 200, hero);
}

export function DELETE(
  request: FrameworkRequest<typeof schema.delete>,
): Response {
  const { hero_id } = request.validated.params;
  const heroes = heroStore.get(request);
  heroes.delete(heroes.get(hero_id).id);
  return respond(schema.delete, 200, { ok: true });
}
