import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { file } from "@bough/framework/uploads";
import { current } from "../../../services.ts";
import { userId } from "../middleware.ts";

export const schema = {
  post: { body: file({ maxSize: "1MB" }) },
} satisfies RouteSchema;

export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const { db, uploads } = current.get(request);
  await using saving = uploads.begin();
  const { name: id, size } = await saving.save(request.validated.body);
  await saving.commit();
  db.prepare("INSERT INTO files VALUES (?, ?)").run(id, userId.get(request));
  return Response.json({ id, size }, { status: 201 });
}
