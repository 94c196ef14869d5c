import { type FrameworkRequest, HttpError } from "@bough/framework";
import { saveUpload } from "../../uploads.ts";

const TYPE = "application/octet-stream";

/**
 * Takes a file as the body: `curl -T photo.jpg -X POST -H 'content-type: …'`. Pages
 * of other sites cannot send this type without asking (CORS); a form they could.
 */
export async function POST(request: FrameworkRequest): Promise<Response> {
  if (request.headers.get("content-type") !== TYPE) {
    throw new HttpError(415, `Send the file as ${TYPE}`);
  }
  const { id, bytes } = await saveUpload(request);
  return Response.json({ id, bytes }, {
    status: 201,
    headers: { location: `/api/files/${id}` },
  });
}
