import {
  type FolderContract,
  HttpError,
  type Middleware,
  RequestState,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";

export const contract = {
  security: [{ bearer: [] }],
  access: "owner",
  response: { 401: Problem, 503: Problem },
} satisfies FolderContract;

/** The customer who sent a request. */
export const customer = new RequestState<string>("customer");

/** Placeholder for your authentication. */
const TOKENS: Readonly<Record<string, string>> = {
  "change-me-ada": "ada",
  "change-me-bob": "bob",
};

const authenticate: Middleware = (request, next) => {
  const header = request.headers.get("authorization") ?? "";
  const [, token = ""] = /^Bearer (\S+)$/.exec(header) ?? [];
  if (!Object.hasOwn(TOKENS, token)) throw new HttpError(401, "Show a token");
  customer.set(request, TOKENS[token]!);
  return next();
};

export default authenticate;
