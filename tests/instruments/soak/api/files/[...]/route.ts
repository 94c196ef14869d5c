import type { Handler } from "@bough/framework";

export const GET: Handler<"/files/[...]"> = ({ wildcardParams }) =>
  Response.json(wildcardParams);
