import { errorFormat } from "@bough/framework";
import { z } from "zod";

/** `npm` prints the member `error`. */
export const errors = errorFormat({
  contentType: "application/json",
  schema: z.object({ error: z.string() }),
  format: ({ title, detail = title, issues }) => ({
    error: issues.map(({ pointer, detail }) => `${pointer} ${detail}`)
      .join("; ") || detail,
  }),
});
