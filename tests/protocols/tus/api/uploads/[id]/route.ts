import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { file } from "@bough/framework/uploads";
import { z } from "zod";
import { MAX_SIZE, uploads } from "../../../uploads.ts";

const params = z.object({ id: z.uuid() });
const digits = z.string().regex(/^\d{1,15}$/);

const Checksum = z.string().regex(/^sha(1|256) [A-Za-z\d+/]+={0,2}$/)
  .transform((value) => {
    const [algorithm = "", digest = ""] = value.split(" ");
    return { algorithm, digest };
  });

export const schema = {
  head: {
    params,
    response: {
      200: {
        headers: z.object({
          "upload-offset": digits,
          "upload-length": digits,
          "upload-expires": z.string(),
          "upload-metadata": z.string().optional(),
          "cache-control": z.literal("no-store"),
        }),
      },
      404: Problem,
    },
  },
  patch: {
    params,
    headers: z.object({
      "upload-offset": digits.transform(Number),
      "upload-checksum": Checksum.optional(),
    }),
    body: file({
      maxSize: MAX_SIZE,
      types: ["application/offset+octet-stream"],
    }),
    response: {
      204: {
        headers: z.object({
          "upload-offset": digits,
          "upload-expires": z.string(),
        }),
      },
      400: Problem,
      404: Problem,
      409: Problem,
      460: { body: Problem, description: "The checksum differs" },
    },
  },
  delete: { params, response: { 204: {}, 404: Problem } },
} satisfies RouteSchema;

/** Reports how much of the file has arrived. */
export async function HEAD(
  request: FrameworkRequest<typeof schema.head>,
): Promise<Response> {
  const upload = await uploads.get(request).find(request.validated.params.id);
  return respond(schema.head, 200, {
    headers: {
      "upload-offset": String(upload.offset),
      "upload-length": String(upload.length),
      "upload-expires": upload.expires,
      "cache-control": "no-store",
      ...upload.metadata === undefined
        ? {}
        : { "upload-metadata": upload.metadata },
    },
  });
}

/** Appends to the file. */
export async function PATCH(
  request: FrameworkRequest<typeof schema.patch>,
): Promise<Response> {
  const { params, headers, body } = request.validated;
  const { offset, expires } = await uploads.get(request).append(params.id, {
    offset: headers["upload-offset"],
    stream: body.stream,
    ...headers["upload-checksum"] && { checksum: headers["upload-checksum"] },
  });
  return respond(schema.patch, 204, {
    headers: { "upload-offset": String(offset), "upload-expires": expires },
  });
}

/** Removes the upload. */
export async function DELETE(
  request: FrameworkRequest<typeof schema.delete>,
): Promise<Response> {
  await uploads.get(request).remove(request.validated.params.id);
  return respond(schema.delete, 204);
}
