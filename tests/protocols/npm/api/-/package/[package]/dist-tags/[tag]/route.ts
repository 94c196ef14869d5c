import { type FrameworkRequest, HttpError, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { registry } from "../../../../../../registry.ts";
import { Name, Tag, Version } from "../../../../../../schemas.ts";

export const schema = {
  put: {
    params: z.object({ package: Name, tag: Tag }),
    body: Version,
    response: { 204: {}, 404: Problem },
  },
};

/** Sets a tag: `npm dist-tag add`. */
export function PUT(request: FrameworkRequest<typeof schema.put>): Response {
  const { params, body: version } = request.validated;
  const stored = registry.get(request).get(params.package);
  if (!stored.versions.has(version)) {
    throw new HttpError(404, `There is no version ${version}`);
  }
  stored.tags = { ...stored.tags, [params.tag]: version };
  return respond(schema.put, 204);
}
