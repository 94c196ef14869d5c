import { type FrameworkRequest, respond } from "@bough/framework";
import { z } from "zod";
import { registry } from "../../../../../../../registry.ts";
import { Advisory, Version } from "../../../../../../../schemas.ts";

export const schema = {
  post: {
    security: [],
    body: z.record(z.string(), z.array(Version)), // compressed by npm
    response: z.record(z.string(), z.array(Advisory)),
  },
};

/** The advisories of packages; `npm audit` compares the versions itself. */
export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const { body } = request.validated;
  const known = [...registry.get(request).advisories]
    .filter(([name]) => Object.hasOwn(body, name));
  return respond(schema.post, 200, Object.fromEntries(known));
}
