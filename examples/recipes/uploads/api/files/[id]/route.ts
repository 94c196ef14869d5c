import {
  type FrameworkRequest,
  HttpError,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";
import { join } from "@std/path";
import { uploads } from "../../../uploads.ts";

export const schema = {
  get: { params: z.object({ id: z.uuid() }) }, // so the path stays in the folder
} satisfies RouteSchema;

/** Sends a file, which browsers save but never show or run. */
export async function GET(
  request: FrameworkRequest<typeof schema.get>,
): Promise<Response> {
  const path = join(uploads().path, request.validated.params.id);
  const file = await Deno.open(path).catch(() => undefined);
  if (file === undefined) throw new HttpError(404);
  return new Response(file.readable, {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": "attachment",
      "x-content-type-options": "nosniff",
    },
  });
}
