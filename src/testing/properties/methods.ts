import { isDeepStrictEqual } from "node:util";
import { allowOf, isSafe, METHODS } from "../../core/methods.ts";
import {
  BEFORE_CHECK,
  endIfAsked,
  type Fault,
  formatFault,
  statusFault,
} from "../checks.ts";
import { planOf } from "../generate/input.ts";
import { isReadOnly } from "../options.ts";
import { runsOf } from "../search/search.ts";
import type { Check, Tested, Tried } from "./input_checks.ts";

/** The number of inputs for a check that hardly depends on the input. */
const RUNS = 20;

/** The number of inputs for the check that sends every method. */
const PATHS = 5;

/** Headers that may differ between `GET` and `HEAD` (RFC 9110, section 9.3.2). */
const VARYING =
  /^(?:connection|content-length|date|keep-alive|transfer-encoding)$/;

/**
 * Checks that `HEAD` and ranges match `GET`, and that responses to `OPTIONS` and
 * responses with 405 list the methods. Only the first operation of each route checks
 * the list.
 */
export function methodChecks({ sender, operation }: Tested): Check[] {
  const { subject } = sender;
  const { route, method } = operation;
  const isFirst = subject.operations.find((each) => each.route === route) ===
    operation;
  const most = runsOf(subject, operation);
  const checks: Check[] = [];
  if (method === "GET") checks.push([Math.min(most, RUNS), headFault]);
  if (method === "GET" && operation.responses.has(206)) {
    checks.push([Math.min(most, PATHS), rangeFault]);
  }
  if (isFirst) checks.push([Math.min(most, PATHS), allowFault]);
  return checks;
}

async function headFault(
  { sender, plan }: Tried,
): Promise<Fault | undefined> {
  const [first, second] = [await sender.send(plan), await sender.send(plan)];
  const head = await sender.send({ ...plan, method: "HEAD" });
  [first, second, head].forEach(endIfAsked);
  const { status } = first;
  if (status !== second.status) return undefined;
  if (head.status !== status) {
    const expected = `a ${status}, as with GET`;
    const seen = `a ${head.status}`;
    return statusFault(status!, { expected, seen, status: head.status });
  }
  if ((head.body?.length ?? 0) > 0) {
    return {
      expected: "no body",
      seen: `a body of ${head.body!.length} bytes`,
      assertion: `assertEquals(await response.text(), "");`,
    };
  }
  for (const [name, value] of first.headers) {
    if (VARYING.test(name) || second.headers.get(name) !== value) continue;
    const other = head.headers.get(name);
    if (other === value) continue;
    const [quotedName, quotedValue] = [name, value]
      .map((text) => JSON.stringify(text));
    return {
      expected: `the header "${name}: ${value}", as with GET`,
      seen: other === null ? `no header "${name}"` : `"${name}: ${other}"`,
      at: [name],
      assertion:
        `assertEquals(response.headers.get(${quotedName}), ${quotedValue});`,
    };
  }
  return undefined;
}

/** Checks that a range is a part of the response to `GET` (RFC 9110, section 14). */
async function rangeFault({ sender, plan }: Tried): Promise<Fault | undefined> {
  const [whole, again] = [await sender.send(plan), await sender.send(plan)];
  const bytes = whole.body ?? new Uint8Array();
  const { length } = bytes;
  const isConstant = isDeepStrictEqual(again.body, bytes) &&
    !whole.headers.has("content-encoding");
  if (whole.status !== 200 || length < 2 || !isConstant) return undefined;
  const cases = [
    [{ range: "bytes=1-" }, 206, bytes.subarray(1)],
    [{ range: "bytes=1-", "if-range": '"another"' }, 200, bytes],
    [{ range: `bytes=${length}-` }, 416, undefined],
  ] as const;
  for (const [headers, expected, part] of cases) {
    const sent = { ...plan, headers: { ...plan.headers, ...headers } };
    const exchange = await sender.send(sent);
    endIfAsked(exchange);
    const { status, body } = exchange;
    if (status !== expected) {
      const fault = { expected: `a ${expected}`, seen: `a ${status}`, status };
      return statusFault(expected, fault);
    }
    if (part && !isDeepStrictEqual(body, part.slice())) {
      return {
        expected: `${part.length} bytes of the ${length} that GET sends`,
        seen: `${body?.length ?? 0} bytes`,
        assertion:
          `assertEquals((await response.bytes()).length, ${part.length});`,
      };
    }
    const place = `bytes 1-${length - 1}/${length}`;
    const found = exchange.headers.get("content-range");
    if (status === 206 && found !== place) {
      return {
        expected: `"content-range: ${place}"`,
        seen: `"content-range: ${found}"`,
        assertion:
          `assertEquals(response.headers.get("content-range"), "${place}");`,
      };
    }
  }
  return undefined;
}

async function allowFault(
  { sender, operation, input }: Tried,
): Promise<Fault | undefined> {
  const { methods } = operation.route;
  const allowed = inOrder(allowOf(methods));
  const plan = planOf({ ...operation, hasBody: false }, input);
  const refused = METHODS.filter((method) =>
    !allowed.split(", ").includes(method) &&
    (isSafe(method) || !isReadOnly(sender.subject.options))
  );
  for (const method of ["OPTIONS", ...refused]) {
    const exchange = await sender.send({ ...plan, method });
    endIfAsked(exchange);
    const { status, headers } = exchange;
    if (BEFORE_CHECK.includes(status!)) continue;
    if (method !== "OPTIONS" && status !== 405) {
      const expected = `a 405, since the route has no handler for ${method}`;
      return statusFault(405, { expected, seen: `a ${status}`, status });
    }
    const fault = status === 405 && await formatFault(operation, exchange);
    if (fault) return fault;
    const found = headers.get("allow");
    // A handler may list any methods. `cors()` lists the methods of a preflight,
    // which fails in a browser unless its status is 2xx.
    const mayOmit = method === "OPTIONS" && (methods.includes("OPTIONS") ||
      status! < 300 && headers.has("access-control-allow-methods"));
    if (found === null ? mayOmit : inOrder(found) === allowed) continue;
    return {
      expected: `"allow: ${allowed}", in any order`,
      seen: found === null ? 'no header "allow"' : `"allow: ${found}"`,
      at: found === null ? ["allow"] : [],
      assertion:
        `assertEquals(response.headers.get("allow")?.split(", ").sort().join(", "), "${allowed}");`,
    };
  }
  return undefined;
}

function inOrder(allow: string): string {
  return allow.split(",").map((name) => name.trim())
    .filter((name) => name !== "").sort().join(", ");
}
