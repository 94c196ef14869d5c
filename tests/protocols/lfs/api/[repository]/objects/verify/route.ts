import {
  content,
  type FrameworkRequest,
  HttpError,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { LFS, Pointer, repository } from "../../../../schemas.ts";
import { store } from "../../../../store.ts";

export const schema = {
  post: {
    params: z.object({ repository }),
    body: content(LFS, Pointer),
    response: { 200: {}, 404: Problem },
  },
} satisfies RouteSchema;

/** Confirms that an object was uploaded. */
export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const { params: { repository }, body: { oid, size } } = request.validated;
  if (await store.get(request).size({ repository, oid }) !== size) {
    throw new HttpError(404, "There is no such object");
  }
  return respond(schema.post, 200);
}
