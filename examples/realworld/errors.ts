/** The errors of RealWorld: `{ "errors": { "body": ["title: is missing"] } }`. */
import { errorFormat, HttpError } from "@bough/framework";
import { z } from "zod";

/** The body of every error. */
export const Failure = z.object({
  errors: z.object({ body: z.array(z.string()) }),
}).meta({ id: "GenericErrorModel" });

/** Invalid requests get 422, with a line for each issue. */
export const errors = errorFormat({
  contentType: "application/json",
  schema: Failure,
  invalid: 422,
  format: ({ title, detail = title, issues }) => {
    const lines = issues.map(({ pointer, detail }) => `${pointer}: ${detail}`);
    return { errors: { body: lines.length > 0 ? lines : [detail] } };
  },
});

/** The error of a client without a valid token or password. */
export function unauthorized(detail: string): HttpError {
  const headers = { "www-authenticate": "Token" };
  return new HttpError(401, detail, { headers });
}
