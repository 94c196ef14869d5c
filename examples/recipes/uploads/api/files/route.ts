import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { file } from "@bough/framework/uploads";
import { z } from "zod";
import { uploads } from "../../uploads.ts";

const Upload = z.object({ id: z.uuid(), bytes: z.int() });

export const schema = {
  post: {
    body: file({ maxSize: "10MB", types: ["application/octet-stream"] }),
    response: {
      201: { body: Upload, headers: z.object({ location: z.string() }) },
    },
  },
} satisfies RouteSchema;

/** Takes a file as the body: `curl -T photo.jpg -X POST …`. */
export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  await using saving = uploads().begin();
  const { name: id, size } = await saving.save(request.validated.body);
  await saving.commit(); // until then, the file has a temporary name
  return respond(schema.post, 201, { id, bytes: size }, {
    headers: { location: `/api/files/${id}` },
  });
}
