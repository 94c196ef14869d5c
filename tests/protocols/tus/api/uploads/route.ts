import {
  type FrameworkRequest,
  HttpError,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { MAX_SIZE, uploads } from "../../uploads.ts";

const PAIR = String.raw`[!-+\--~]+( [A-Za-z\d+/]+={0,2})?`;

export const schema = {
  post: {
    headers: z.object({
      "upload-length": z.string().regex(/^\d{1,15}$/).transform(Number),
      "upload-metadata": z.string().max(4_000)
        .regex(RegExp(`^${PAIR}(, ?${PAIR})*$`)).optional(),
    }),
    response: {
      201: {
        headers: z.object({
          location: z.string(),
          "upload-expires": z.string(),
        }),
      },
      413: Problem,
    },
  },
} satisfies RouteSchema;

/** Creates an upload. */
export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const { headers } = request.validated;
  const length = headers["upload-length"];
  if (length > MAX_SIZE) throw new HttpError(413, "The file is too large");
  const store = uploads.get(request);
  const metadata = headers["upload-metadata"];
  const id = await store.create({ length, metadata });
  const { expires } = await store.find(id);
  return respond(schema.post, 201, {
    headers: { location: `/api/uploads/${id}`, "upload-expires": expires },
  });
}
