import type { FrameworkRequest } from "@bough/framework";
import { z } from "zod";

export const schema = {
  post: {
    body: z.object({
      name: z.string().min(1),
      topic: z.array(z.string()).optional(),
      attachment: z.file().optional(),
    }),
  },
};

export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const { attachment, ...rest } = request.validated.body;
  return Response.json({ ...rest, attachment: await attachment?.text() });
}
