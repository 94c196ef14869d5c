import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";
import { HeroCreate, HeroPublic, heroStore } from "../../heroes.ts";

export const schema = {
  get: {
    query: z.object({
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
      limit: z.coerce.number().int().min(1).max(100).default(100),
    }),
    response: z.array(HeroPublic),
  },
  post: { body: HeroCreate, response: { 201: HeroPublic } },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { offset, limit } = request.validated.query;
  return respond(schema.get, 200, heroStore.get(request).list(offset, limit));
}

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const hero = heroStore.get(request).add(request.validated.body);
  const headers = { location: `/heroes/${hero.id}` };
  return respond(schema.post, 201, hero, { headers }); // without the secret name
}
