/**
 * A server of the measured cases that takes the steps of Bough up to one of them, with
 * Bough's own parts. `main.ts` compares each step with the one before.
 */
import { type Method, METHODS } from "../../../../src/core/methods.ts";
import { limitBody } from "../../../../src/core/request/body.ts";
import {
  ensureRecord,
  NO_CONNECTION,
} from "../../../../src/core/request/record.ts";
import { assertResponse } from "../../../../src/core/common/response.ts";
import {
  PathReader,
  type RoutedPath,
} from "../../../../src/core/routing/pathname.ts";
import {
  compilePattern,
  type RoutePattern,
} from "../../../../src/core/routing/pattern.ts";
import { type Match, RouteTree } from "../../../../src/core/routing/tree.ts";
import { SHELF_ROUTES } from "../http/cases.ts";
import {
  handleByHand,
  respondByHand,
  TRUSTING,
} from "../http/servers/by_hand.ts";

type Responding = Response | Promise<Response>;
type Bound =
  & Request
  & { -readonly [Name in "params" | "wildcardParams"]: Match[Name] };
type Handler = (request: Bound, match: Bound | Match) => Responding;

interface Route {
  readonly pattern: RoutePattern;
  /** The handlers, in the order of `METHODS`. */
  readonly handlers: readonly (Handler | undefined)[];
}

const ROUTES: Readonly<Record<string, [method: string, handler: Handler]>> = {
  "health": ["GET", () => new Response("ok")],
  "users/[id]": [
    "GET",
    (_request, { params }) => Response.json({ id: params.id }),
  ],
  "search": ["GET", ({ url }) => {
    const { searchParams } = new URL(url);
    return Response.json({ q: searchParams.get("q") });
  }],
  "echo": ["POST", TRUSTING.echo],
  "books": ["POST", TRUSTING.book],
  "files/[...]": [
    "GET",
    (_request, { wildcardParams }) => new Response(wildcardParams!.join("/")),
  ],
};

const SHELF: Handler = (_request, { params: { row, book } }) =>
  Response.json({ row, book });

const routes = [
  ...Object.entries(ROUTES),
  ...SHELF_ROUTES.map((path) => [path, ["GET", SHELF]] as const),
].map(([path, [method, handler]]): Route => ({
  pattern: compilePattern(["api"], path.split("/")),
  handlers: METHODS.map((each) => each === method ? handler : undefined),
}));
const tree = new RouteTree(routes);
const paths = new PathReader();
const RULES = { limit: 1_048_576, timeout: 30_000, refuse: () => undefined };
const NOTHING = Object.freeze({});
const waitUntil = () => {};
const byPath = respondByHand(TRUSTING);
const notFound = () => new Response("Not Found", { status: 404 });

type Found = Match<Route>;
type Serve = (request: Request, info: unknown) => Responding;
type Run = (
  request: Bound,
  handler: Handler,
  match: Found,
  info: unknown,
) => Responding;

const reading = (
  next: (request: Request, path: RoutedPath, info: unknown) => Responding,
): Serve =>
(request, info) => next(request, paths.read(request.url), info);

const routing = (
  next: (request: Request, match: Found, info: unknown) => Responding,
): Serve =>
  reading((request, path, info) => {
    const match = tree.find(path);
    return match === undefined ? notFound() : next(request, match, info);
  });

const choosing = (run: Run): Serve =>
  routing((request, match, info) => {
    const place = METHODS.indexOf(request.method as Method);
    const handler = match.value.handlers[place];
    return handler === undefined
      ? notFound()
      : run(request as Bound, handler, match, info);
  });

const limiting = (run: Run): Run => (request, handler, match, info) => {
  if (request.method !== "GET") limitBody(request, RULES);
  return run(request, handler, match, info);
};

const binding = (run: Run): Run => (request, handler, match, info) => {
  const bound = request as Bound & Record<string, unknown>;
  bound.params = match.params;
  bound.validated = NOTHING;
  bound.pattern = match.value.pattern.text;
  bound.waitUntil = waitUntil;
  bound.info = info ?? NO_CONNECTION;
  if (match.wildcardParams) bound.wildcardParams = match.wildcardParams;
  return run(request, handler, match, info);
};

const recording = (run: Run): Run => (request, handler, match, info) => {
  ensureRecord(request).isHandled = false;
  return run(request, handler, match, info);
};

const finishing = (run: Run): Run => (request, handler, match, info) => {
  let response;
  try {
    response = run(request, handler, match, info);
  } catch (error) {
    response = Promise.reject(error);
  }
  return response instanceof Response ? response : finish(response);
};

async function finish(responding: unknown): Promise<Response> {
  try {
    return assertResponse(await responding);
  } catch {
    return new Response(null, { status: 500 });
  }
}

const call: Run = (request, handler) => handler(request, request);

/** The steps by name, each with the steps before it. */
const STEPS: Readonly<Record<string, Serve>> = {
  "by hand": handleByHand(TRUSTING),
  path: reading((request, { text }) => byPath(request, text)),
  route: routing((request, match) => {
    const { handlers } = match.value;
    const handler = handlers[0] ?? handlers[2]; // of GET or POST
    return handler!(request as Bound, match);
  }),
  method: choosing((request, handler, match) => handler(request, match)),
  members: choosing(binding(call)),
  record: choosing(binding(recording(call))),
  body: choosing(limiting(binding(recording(call)))),
  finish: choosing(limiting(binding(recording(finishing(call))))),
};

const [port, , step] = Deno.args;
Deno.serve({ port: Number(port), onListen: () => {} }, STEPS[step!]!);
