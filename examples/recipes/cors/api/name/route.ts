import { type FrameworkRequest, respond } from "@bough/framework";
import { z } from "zod";
import { nameOf, setName } from "../../visitor.ts";

const Visitor = z.object({ name: z.string() });

export const schema = {
  get: { response: Visitor },
  put: {
    body: z.object({ name: z.string().regex(/^[a-z]{1,20}$/) }),
    response: { 204: {} },
  },
};

export function GET(request: FrameworkRequest): Response {
  return respond(schema.get, 200, { name: nameOf(request) });
}

export function PUT(request: FrameworkRequest<typeof schema.put>): Response {
  const headers = new Headers();
  setName(headers, request.validated.body.name);
  return respond(schema.put, 204, { headers });
}
