import type { Middleware } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import { accessLog } from "@bough/framework/log";
import { requestId } from "hono/request-id";
import { PlannedError } from "./planned_error.ts";

/** Throws before or after the handler, if the request asks for it. */
const fail: Middleware = async (request, next) => {
  const when = new URL(request.url).searchParams.get("fail");
  if (when === "before") throw new PlannedError();
  const response = await next();
  if (when === "after") throw new PlannedError();
  response.headers.set("x-wrapped", "yes");
  return response;
};

/** Reads a body before the handler does. */
const readAhead: Middleware = async (request, next) => {
  if (request.method === "POST") {
    const [copy, body] = await Promise.all([
      request.clone().text(),
      request.text(),
    ]);
    if (copy !== body) throw new Error("a clone differs from its request");
  }
  return await next();
};

export default [
  accessLog({ write: () => {} }),
  fail,
  honoMiddleware(requestId({ generator: () => "1" })),
  readAhead,
];
