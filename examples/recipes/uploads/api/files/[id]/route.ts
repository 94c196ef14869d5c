import type { FrameworkRequest } from "@bough/framework";
import { fileResponses, sendFile } from "@bough/framework/files";
import { z } from "zod";
import { join } from "@std/path";
import { uploads } from "../../../uploads.ts";

export const schema = {
  get: {
    params: z.object({ id: z.uuid() }), // so the path stays in the folder
    response: fileResponses("application/octet-stream"),
  },
};

/** Sends a file, which browsers save but never show or run. */
export async function GET(
  request: FrameworkRequest<typeof schema.get>,
): Promise<Response> {
  const { id } = request.validated.params;
  return await sendFile(request, join(uploads().path, id), { download: id });
}
