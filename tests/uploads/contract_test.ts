import { Framework, type FrameworkRequest } from "@bough/framework";
import { contractTests } from "@bough/framework/testing";
import { file, form } from "@bough/framework/uploads";
import { z } from "zod";

const schema = {
  post: {
    body: form({
      fields: z.object({ title: z.string().max(20) }),
      files: {
        photo: file({ maxSize: 1_000, types: ["image/*"], count: [1, 3] }),
        note: file({ maxSize: 10, types: ["text/plain"], count: [0, 1] }),
      },
    }),
    response: { 201: z.object({ title: z.string(), sizes: z.array(z.int()) }) },
  },
  put: {
    body: file({ maxSize: 1_000, types: ["video/mp4"] }),
    response: { 200: z.int() },
  },
};

async function PUT(
  request: FrameworkRequest<typeof schema.put>,
): Promise<Response> {
  let size = 0;
  for await (const chunk of request.validated.body.stream) size += chunk.length;
  return Response.json(size);
}

async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const { fields, files } = request.validated.body;
  const sizes = [];
  for await (const { stream } of files) {
    let size = 0;
    for await (const chunk of stream) size += chunk.length;
    sizes.push(size);
  }
  return Response.json({ ...fields, sizes }, { status: 201 });
}

contractTests(
  new Framework({ manifest: { "files/route.ts": { schema, POST, PUT } } }),
);
