import { HttpError, type Middleware, RequestState } from "@bough/framework";
import { idempotent, rateLimit } from "@bough/framework/protect";
import { redis } from "@/redis.ts";
import { redisStore } from "@/store.ts";

/** The requests of a customer that pass in a window. */
export const LIMIT = 50;
/** The length of a window, in milliseconds. */
export const PER = 5_000;

/** The customer who sent a request. */
export const customer = new RequestState<string>("customer");

/** Placeholder for your authentication: the token is the name of the customer. */
const authenticate: Middleware = (request, next) => {
  const header = request.headers.get("authorization") ?? "";
  const [, name] = /^Bearer (\w{1,50})$/.exec(header) ?? [];
  if (name === undefined) throw new HttpError(401);
  customer.set(request, name);
  return next();
};

const store = redisStore(redis);

export default [
  authenticate,
  rateLimit({
    limit: LIMIT,
    per: PER,
    store,
    key: (request) => customer.get(request),
    onStoreFailure: "closed",
  }),
  idempotent({
    store,
    required: true,
    identity: (request) => customer.get(request),
    lease: 2_000, // after a kill, the key is free in two seconds
  }),
];
