import { type FrameworkRequest, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { registry } from "../../registry.ts";
import { Name, Packument, Publication } from "../../schemas.ts";

export const config = { bodyLimit: 50_000_000 }; // a tarball in Base64

const params = z.object({ package: Name });

export const schema = {
  get: { params, security: [], response: { 200: Packument, 404: Problem } },
  put: {
    params,
    body: Publication,
    response: {
      201: z.object({ ok: z.literal(true) }),
      409: Problem,
      422: Problem,
    },
  },
};

/** The versions and the tags of a package: `npm view`, `npm install`. */
export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { origin } = new URL(request.url);
  const stored = registry.get(request).get(request.validated.params.package);
  return respond(schema.get, 200, stored.packument(origin));
}

/** Adds a version: `npm publish`. */
export function PUT(request: FrameworkRequest<typeof schema.put>): Response {
  const { params, body } = request.validated;
  registry.get(request).publish(params.package, body);
  return respond(schema.put, 201, { ok: true });
}
