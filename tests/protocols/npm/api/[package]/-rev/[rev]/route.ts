import { type FrameworkRequest, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { registry } from "../../../../registry.ts";
import { Name, Packument } from "../../../../schemas.ts";

export const config = { bodyLimit: 50_000_000 };

const params = z.object({ package: Name, rev: z.coerce.number().int() });

export const schema = {
  put: {
    params,
    body: Packument,
    response: { 204: {}, 404: Problem, 409: Problem, 422: Problem },
  },
  delete: { params, response: { 204: {}, 404: Problem, 409: Problem } },
};

/** Removes versions: `npm unpublish` of a version. */
export function PUT(request: FrameworkRequest<typeof schema.put>): Response {
  const { params, body } = request.validated;
  registry.get(request).keep(params.package, params.rev, body);
  return respond(schema.put, 204);
}

/** Removes a package: `npm unpublish` of all versions. */
export function DELETE(
  request: FrameworkRequest<typeof schema.delete>,
): Response {
  const { package: name, rev } = request.validated.params;
  registry.get(request).remove(name, rev);
  return respond(schema.delete, 204);
}
