import { errorFormat } from "@bough/framework";
import { z } from "zod";

/** The media type of Git LFS. */
export const LFS = "application/vnd.git-lfs+json";

/** The size of the largest object, in bytes. */
export const MAX_SIZE = 5 * 2 ** 30;

export const errors = errorFormat({
  contentType: LFS,
  schema: z.object({ message: z.string() }),
  format: ({ title, detail = title }) => ({ message: detail }),
  invalid: 422,
});

/** The name of a repository, without `.git`. */
export const repository = z.string().max(100)
  .regex(/^\w[\w.-]*(\/\w[\w.-]*)*$/);

/** The SHA-256 of the bytes. */
export const oid = z.string().regex(/^[\da-f]{64}$/);

/** An object, as clients name it. */
export const Pointer = z.object({ oid, size: z.int().min(0).max(MAX_SIZE) })
  .meta({ id: "Pointer" });

const Action = z.object({ href: z.url() });

export const Batch = z.object({
  operation: z.enum(["download", "upload"]),
  transfers: z.array(z.string()).default(["basic"]),
  hash_algo: z.literal("sha256").default("sha256"),
  objects: z.array(Pointer).max(1_000),
});

/** The actions of a client for the objects of a batch. */
export const Transfers = z.object({
  transfer: z.literal("basic"),
  objects: z.array(Pointer.extend({
    actions: z.object({
      download: Action.optional(),
      upload: Action.optional(),
    }).optional(),
    error: z.object({ code: z.int(), message: z.string() }).optional(),
  })),
});
