import {
  content,
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";
import { Batch, LFS, repository, Transfers } from "../../../../schemas.ts";
import { store } from "../../../../store.ts";

export const schema = {
  post: {
    params: z.object({ repository }),
    body: content(LFS, Batch),
    response: { 200: content(LFS, Transfers) },
  },
} satisfies RouteSchema;

/** Names the URLs of the uploads or downloads of objects. */
export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const { params: { repository }, body } = request.validated;
  const { origin } = new URL(request.url);
  const base = `${origin}/${repository}.git/info/lfs/objects`;
  const objects = body.objects.map(async ({ oid, size }) => {
    const href = `${base}/${oid}`;
    const saved = await store.get(request).size({ repository, oid });
    if (body.operation === "download") {
      return saved === size
        ? { oid, size, actions: { download: { href } } }
        : { oid, size, error: { code: 404, message: "It is missing" } };
    }
    return saved === size
      ? { oid, size }
      : { oid, size, actions: { upload: { href } } };
  });
  return respond(schema.post, 200, {
    transfer: "basic",
    objects: await Promise.all(objects),
  });
}
