import fc from "fast-check";
import { METHODS } from "../../methods.ts";
import { type Input, isFitting, planOf } from "../generate/input.ts";
import type { Operation } from "../operation.ts";
import { isReadOnly } from "../options.ts";
import { inTurn, type Search, search, withInputs } from "../search/search.ts";
import { runsOf } from "../search/sweep.ts";
import type { Session } from "../search/session.ts";
import { endIfAsked, type Fault } from "../checks.ts";

/** How many inputs are enough for what hardly depends on them. */
const RUNS = 20;

/** The same for what depends on the path alone: each sends all methods. */
const PATHS = 5;

/** Headers that may differ between `GET` and `HEAD` (RFC 9110, section 9.3.2). */
const FREE = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "transfer-encoding",
]);

/** By these, middleware refuses a request before its method counts. */
const EARLIER: ReadonlySet<number> = new Set([401, 403, 404]);

/**
 * `HEAD` is like `GET`, and `OPTIONS` and 405 tell which methods there are: the second
 * is tested with the first operation of each route.
 */
export async function methodsProperty(
  session: Session,
  operation: Operation,
): Promise<Search | undefined> {
  const { route, method } = operation;
  const isFirst = session.operations.find((each) => each.route === route) ===
    operation;
  if (!isFirst && method !== "GET") return undefined;
  const trials = [
    ...(method === "GET" ? [{ find: headFault, runs: RUNS }] : []),
    ...(isFirst ? [{ find: allowFault, runs: PATHS }] : []),
  ];
  return await withInputs(
    session,
    operation,
    (inputs) =>
      inTurn(trials.map(({ find, runs }) => () =>
        search(session, inputs, {
          runs: Math.min(runsOf(session, operation), runs),
          trial: async (input) => {
            fc.pre(await isFitting(operation, input, session.options.as));
            return await find(session, operation, input);
          },
        })
      )),
  );
}

async function headFault(
  session: Session,
  operation: Operation,
  input: Input,
): Promise<Fault | undefined> {
  const plan = planOf(operation, input, session.options.as);
  const [first, second] = [await session.send(plan), await session.send(plan)];
  const head = await session.send({ ...plan, method: "HEAD" });
  [first, second, head].forEach(endIfAsked);
  const { status } = first;
  if (status !== second.status) return undefined;
  if (head.status !== status) {
    return {
      expected: `a ${status}, as GET responds`,
      seen: `a ${head.status}`,
      assertion: `assertEquals(response.status, ${status});`,
    };
  }
  if ((head.body?.length ?? 0) > 0) {
    return {
      expected: "no body",
      seen: `a body of ${head.body!.length} bytes`,
      assertion: `assertEquals(await response.text(), "");`,
    };
  }
  for (const [name, value] of first.headers) {
    if (FREE.has(name) || second.headers.get(name) !== value) continue;
    const other = head.headers.get(name);
    if (other === value) continue;
    return {
      expected: `the header "${name}: ${value}", as GET responds`,
      seen: other === null ? "no such header" : `"${name}: ${other}"`,
      assertion: `assertEquals(response.headers.get(${JSON.stringify(name)}), ${
        JSON.stringify(value)
      });`,
    };
  }
  return undefined;
}

async function allowFault(
  session: Session,
  { route }: Operation,
  input: Input,
): Promise<Fault | undefined> {
  const { as } = session.options;
  const methods = new Set<string>(["OPTIONS", ...route.methods]);
  if (methods.has("GET")) methods.add("HEAD");
  const allowed = [...methods].sort().join(", ");
  const operation = { method: "GET", route } as Operation;
  const plan = {
    ...planOf({ ...operation, schema: NO_SCHEMA }, input, as),
  };
  const refused = METHODS.filter((method) => !methods.has(method))
    .filter((method) => method === "GET" || !isReadOnly(session.options));
  for (const method of ["OPTIONS", ...refused]) {
    const exchange = await session.send({ ...plan, method });
    endIfAsked(exchange);
    const { status, headers } = exchange;
    if (EARLIER.has(status!)) continue;
    const found = headers.get("allow");
    if (method !== "OPTIONS" && status !== 405) {
      return {
        expected: "a 405, since the route has no handler for it",
        seen: `a ${status}`,
        assertion: "assertEquals(response.status, 405);",
      };
    }
    const listed = (found ?? "").split(",").map((name) => name.trim())
      .filter((name) => name !== "").sort().join(", ");
    if (
      listed === allowed || found === null && route.methods.includes("OPTIONS")
    ) {
      continue;
    }
    return {
      expected: `"allow: ${allowed}", in whichever order`,
      seen: found === null ? "no such header" : `"allow: ${found}"`,
      assertion:
        `assertEquals(response.headers.get("allow")?.split(", ").sort().join(", "), ${
          JSON.stringify(allowed)
        });`,
    };
  }
  return undefined;
}

const NO_SCHEMA: Operation["schema"] = {
  parts: { params: [], query: [], headers: [], body: [] },
  response: new Map(),
  events: undefined,
  socket: undefined,
  security: undefined,
  tags: undefined,
  deprecated: undefined,
};
