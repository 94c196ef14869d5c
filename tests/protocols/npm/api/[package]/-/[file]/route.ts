import {
  content,
  type FrameworkRequest,
  HttpError,
  respond,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { registry } from "../../../../registry.ts";
import { Name } from "../../../../schemas.ts";

export const schema = {
  get: {
    params: z.object({ package: Name, file: z.string() }),
    security: [],
    response: { 200: content("application/octet-stream"), 404: Problem },
  },
};

/** A tarball: `npm install`. */
export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { package: name, file } = request.validated.params;
  const tarball = registry.get(request).get(name).tarballs.get(file);
  if (tarball === undefined) throw new HttpError(404, `There is no ${file}`);
  return respond(schema.get, 200, tarball);
}
