import { type FrameworkRequest, HttpError } from "@bough/framework";
import { current } from "../../../../services.ts";
import { userId } from "../../middleware.ts";

export async function GET(
  request: FrameworkRequest<"/files/[id]">,
): Promise<Response> {
  const { db, uploads } = current.get(request);
  const found = db.prepare("SELECT id FROM files WHERE id = ? AND owner = ?")
    .get(request.params.id, userId.get(request));
  if (found === undefined) throw new HttpError(404);
  const file = await Deno.open(`${uploads.path}/${found.id}`);
  return new Response(file.readable, {
    headers: { "content-type": "application/octet-stream" },
  });
}
