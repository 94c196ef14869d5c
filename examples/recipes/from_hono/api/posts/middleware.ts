import { honoMiddleware } from "@bough/framework/hono";
import { cors } from "hono/cors";

export default honoMiddleware(cors()); // app.use("/posts/*", cors())
