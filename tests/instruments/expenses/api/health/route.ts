import { type FrameworkRequest, respond } from "@bough/framework";
import { z } from "zod";
import { store } from "../../store/database.ts";

export const schema = {
  get: {
    summary: "Check whether the service works",
    access: "public",
    response: z.strictObject({ status: z.literal("ok") }),
  },
};

export function GET(request: FrameworkRequest): Response {
  store.get(request).all("SELECT 1");
  return respond(schema.get, 200, { status: "ok" });
}
