/** The task tracker on Bough, with the errors of its Express version. */
import {
  type ErrorDetails,
  type ErrorFormat,
  errorFormat,
  Framework,
} from "../../../mod.ts";
import { z } from "zod";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
  apiPrefix: "",
  bodyLimit: 10_240,
  validateResponses: true,
  errors: errorFormat({
    contentType: "application/json; charset=utf-8",
    schema: z.strictObject({ statusCode: z.int(), message: z.string() }),
    format: (error, request) => ({
      statusCode: error.status,
      message: messageOf(error, request),
    }),
  }),
});

function messageOf(
  { status, title, detail, issues }: ErrorDetails,
  { method, pattern, url }: Parameters<ErrorFormat["format"]>[1],
): string {
  if (status === 500) return "Internal server error";
  if (status === 413) return "The body is larger than 10 kB";
  if (status === 404 && pattern === undefined) {
    return `Cannot ${method} ${new URL(url).pathname}`;
  }
  return issues.map(({ pointer, detail }) => {
    const path = pointer.slice("#/".length).replaceAll("/", ".");
    return path === "" ? detail : `${path}: ${detail}`;
  }).join("; ") || (detail ?? title);
}
