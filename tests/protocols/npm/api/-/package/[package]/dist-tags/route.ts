import { type FrameworkRequest, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { registry } from "../../../../../registry.ts";
import { Name, Tag, Version } from "../../../../../schemas.ts";

export const schema = {
  get: {
    params: z.object({ package: Name }),
    security: [],
    response: { 200: z.record(Tag, Version), 404: Problem },
  },
};

/** The tags of a package: `npm dist-tag ls`. */
export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { tags } = registry.get(request).get(request.validated.params.package);
  return respond(schema.get, 200, tags);
}
