import { honoMiddleware } from "@bough/framework/hono";
import { bearerAuth } from "hono/bearer-auth";
import { ADMIN_TOKEN } from "../../admin_token.ts";

/** Who calls a route of this group, or of the folders in it, shows the token. */
export default honoMiddleware(bearerAuth({ token: ADMIN_TOKEN }));
