import type { FolderContract } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import { Problem } from "@bough/framework/openapi";
import { bearerAuth } from "hono/bearer-auth";
import { ADMIN_TOKEN } from "@/admin_token.ts";

/** The requirements of the guard, for every route of this group. */
export const contract = {
  security: [{ bearer: [] }],
  response: { 401: Problem },
} satisfies FolderContract;

/** Requires the token for every route of this group and of the folders in it. */
export default honoMiddleware(bearerAuth({ token: ADMIN_TOKEN }));
