import {
  content,
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { file } from "@bough/framework/uploads";
import { z } from "zod";
import { MAX_SIZE, oid, repository } from "../../../../schemas.ts";
import { store } from "../../../../store.ts";

const params = z.object({ repository, oid });

export const schema = {
  get: {
    params,
    response: { 200: content("application/octet-stream"), 404: Problem },
  },
  put: {
    params,
    body: file({ maxSize: MAX_SIZE }), // the client guesses the type
    response: { 200: {}, 422: Problem },
  },
} satisfies RouteSchema;

/** Sends an object. */
export async function GET(
  request: FrameworkRequest<typeof schema.get>,
): Promise<Response> {
  const file = await store.get(request).open(request.validated.params);
  const { size } = await file.stat();
  return respond(schema.get, 200, file.readable, {
    headers: { "content-length": String(size) },
  });
}

/** Saves an object. */
export async function PUT(
  request: FrameworkRequest<typeof schema.put>,
): Promise<Response> {
  const { params, body } = request.validated;
  await store.get(request).save(params, body);
  return respond(schema.put, 200);
}
