import { honoMiddleware } from "@bough/framework/hono";
import { bearerAuth } from "hono/bearer-auth";
import { ADMIN_TOKEN } from "../../admin_token.ts";

/** Requires the token for every route of this group and of the folders in it. */
export default honoMiddleware(bearerAuth({ token: ADMIN_TOKEN }));
