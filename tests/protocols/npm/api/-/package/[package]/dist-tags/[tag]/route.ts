import { type FrameworkRequest, HttpError, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { registry } from "../../../../../../registry.ts";
import { Name, Tag, Version } from "../../../../../../schemas.ts";

const params = z.object({ package: Name, tag: Tag });

export const schema = {
  put: { params, body: Version, response: { 204: {}, 404: Problem } },
  delete: { params, response: { 204: {}, 404: Problem, 409: Problem } },
};

/** Sets a tag: `npm dist-tag add`. */
export function PUT(request: FrameworkRequest<typeof schema.put>): Response {
  const { params, body: version } = request.validated;
  const stored = registry.get(request).get(params.package);
  if (!stored.versions.has(version)) {
    throw new HttpError(404, `There is no version ${version}`);
  }
  stored.change().tags = { ...stored.tags, [params.tag]: version };
  return respond(schema.put, 204);
}

/** Removes a tag: `npm dist-tag rm`. */
export function DELETE(
  request: FrameworkRequest<typeof schema.delete>,
): Response {
  const { package: name, tag } = request.validated.params;
  const stored = registry.get(request).get(name);
  if (tag === "latest") throw new HttpError(409, "A package has a latest tag");
  if (!Object.hasOwn(stored.tags, tag)) throw new HttpError(404);
  const { [tag]: _, ...tags } = stored.tags;
  stored.change().tags = tags;
  return respond(schema.delete, 204);
}
