import {
  errorResponse,
  type FolderContract,
  HttpError,
  type Middleware,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { MAX_SIZE } from "../uploads.ts";

const VERSION = "1.0.0";

export const contract = {
  headers: z.object({ "tus-resumable": z.string().optional() }),
  response: { 412: Problem },
} satisfies FolderContract;

/** Rejects other versions of the protocol, and describes the server to `OPTIONS`. */
const speakTus: Middleware<typeof contract> = async (request, next) => {
  const isQuestion = request.method === "OPTIONS";
  const isKnown = isQuestion ||
    request.headers.get("tus-resumable") === VERSION;
  const response = isKnown
    ? await next().catch((error) => errorResponse(error, request))
    : await errorResponse(
      new HttpError(412, `This server speaks tus ${VERSION}`),
      request,
    );
  const { headers } = response;
  headers.set("tus-resumable", VERSION);
  if (isQuestion || !isKnown) headers.set("tus-version", VERSION);
  if (isQuestion) {
    headers.set("tus-extension", "creation,expiration,checksum,termination");
    headers.set("tus-max-size", String(MAX_SIZE));
    headers.set("tus-checksum-algorithm", "sha1,sha256");
  }
  return response;
};

export default speakTus;
