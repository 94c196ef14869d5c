/** Checks the responses to malicious requests, with an oracle that uses no code of Bough. */
import { errorResponse, type Middleware } from "@bough/framework";
import { assert, assertEquals } from "@std/assert";
import { METHODS } from "../../../src/core/methods.ts";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import {
  type HostileRequest,
  HostileRequests,
} from "../../support/hostile_requests.ts";
import { Http2Client } from "../../support/http2.ts";
import { KeptConnection } from "../../support/kept_connection.ts";

const AT_ONCE = 10;

/** Represents the status of requests that Deno rejects before Bough gets them. */
const REJECTED_BY_DENO = 0;

const ROUTE: TestModule = { GET: () => new Response("here") };
const ROUTES = {
  "route.ts": ROUTE,
  "a/b/route.ts": ROUTE,
  "[first]/route.ts": ROUTE,
  "[first]/[second]/route.ts": ROUTE,
  "[...]/route.ts": ROUTE,
};

/** A request as the application's middleware saw it. */
interface Seen {
  readonly url: string;
  readonly method: string;
  readonly host: string | null;
  /** The segments that the route matched; `undefined` if no route matched. */
  readonly routed: readonly string[] | undefined;
  readonly status: number;
}

/** Middleware that keeps each request by its id, and adds the id to its response. */
function watch(seen: Map<string, Seen>): Middleware {
  return async (request, next) => {
    const response = await next().catch((error) =>
      errorResponse(error, request)
    );
    const { url, method, headers, pattern, wildcardParams } = request;
    const params: Record<string, string> = request.params;
    const routed = pattern?.split("/").filter((name) => name !== "")
      .flatMap((name) => {
        if (name === "[...]") return wildcardParams!;
        return [name.startsWith("[") ? params[name.slice(1, -1)]! : name];
      });
    const id = headers.get("x-id")!;
    const host = headers.get("host");
    assert(!seen.has(id), "middleware runs once for each request");
    seen.set(id, { url, method, host, routed, status: response.status });
    response.headers.set("x-seen", id);
    return response;
  };
}

/** The response that a URL must have. */
function expected(
  { url, method, host }: Seen,
  allowed: string | undefined,
): Pick<Seen, "status" | "routed"> {
  const rejected = { status: 400, routed: undefined };
  const parsed = URL.parse(url);
  if (parsed === null || parsed.protocol === "file:") return rejected;
  const authority = url.split("://")[1]!.split(/[/?#]/)[0]!;
  if (allowed !== undefined) {
    const names = host === null ? [authority] : [authority, host];
    for (const name of names) {
      const plain = name.toLowerCase().replace(/\.?(?::\d*)?$/, "");
      if (plain !== allowed) return rejected;
    }
    assertEquals(parsed.hostname.toLowerCase().replace(/\.$/, ""), allowed);
  }
  if (/^$|^\\|\s/.test(authority)) return rejected;
  let routed;
  try {
    routed = parsed.pathname.split("/").filter((segment) => segment !== "")
      .map(decodeURIComponent);
  } catch {
    return rejected;
  }
  const text = routed.join("");
  if (text.includes("\0")) return rejected;
  if (routed.length > 2 && /[/\\]/.test(text)) return rejected;
  const statuses: Record<string, number> = {
    GET: 200,
    HEAD: 200,
    OPTIONS: 204,
  };
  const isKnown = (METHODS as readonly string[]).includes(method);
  return { status: statuses[method] ?? (isKnown ? 405 : 501), routed };
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A client that sends malicious requests, several at a time. */
interface Attacker extends AsyncDisposable {
  attack(id: string, request: HostileRequest): Promise<Received>;
}

const CLIENTS: Readonly<
  Record<"HTTP/1.1" | "HTTP/2", (port: number) => Attacker>
> = {
  "HTTP/1.1"(port) {
    const idle: KeptConnection[] = [];
    return {
      async attack(id, { method, scheme, authority, host, path }) {
        const isAbsolute = Number(id) % 3 === 0;
        const target = isAbsolute ? `${scheme}://${authority}${path}` : path;
        const head = `${method} ${target} HTTP/1.1\r\nX-Id: ${id}`;
        const connection = idle.pop() ?? new KeptConnection(port);
        const received = await connection.send(
          host === undefined ? head : `${head}\r\nHost: ${host}`,
        );
        idle.push(connection);
        return received;
      },
      async [Symbol.asyncDispose]() {
        await Promise.all(idle.map((connection) => connection.close()));
      },
    };
  },
  "HTTP/2"(port) {
    const client = new Http2Client(port);
    return {
      async attack(id, { method, scheme, authority, host, path }) {
        const received = await client.request({
          ":method": method,
          ":authority": authority,
          // RFC 9113, section 8.5.
          ...(method !== "CONNECT" && { ":scheme": scheme, ":path": path }),
          "x-id": id,
          ...(host !== undefined && { host }),
        });
        return { ...received, headers: new Headers(received.headers) };
      },
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    };
  },
};

/** Checks that malicious requests are routed by the paths of their URLs. */
export async function checkMaliciousUrls(
  protocol: keyof typeof CLIENTS,
  allowed: string | undefined,
  { seed, count }: { readonly seed: number; readonly count: number },
): Promise<void> {
  using log = new CapturedLog();
  const seen = new Map<string, Seen>();
  const application = TestApplication.of(ROUTES, {
    apiPrefix: "",
    middleware: [watch(seen)],
    ...(allowed !== undefined && { allowedHosts: [allowed] }),
  });
  await using server = await application.serve();
  const requests = new HostileRequests(seed);
  const statuses = new Map<number, number>();
  let sent = 0;

  function verify(id: string, received: Received, what: string): number {
    const { status, headers, body } = received;
    const found = seen.get(id);
    if (headers.get("x-seen") !== id) {
      assertEquals(found, undefined, what);
      assert(status === 0 || status === 400 && body === "", what);
      return REJECTED_BY_DENO;
    }
    assert(found !== undefined);
    const wanted = expected(found, allowed);
    const { routed } = found;
    assertEquals(
      { status, routed: status === 400 ? undefined : routed },
      wanted,
      what + found.url,
    );
    assertEquals(found.status, status, what);
    return status;
  }

  async function work(client: Attacker): Promise<void> {
    while (sent < count) {
      const id = String(sent++);
      const request = requests.next();
      const received = await client.attack(id, request);
      const status = verify(id, received, JSON.stringify(request));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  await using client = CLIENTS[protocol](server.port);
  await Promise.all(Array.from({ length: AT_ONCE }, () => work(client)));
  assertEquals(log.lines, []);
  // The check is useful only if the responses are of all kinds.
  const kinds = [...statuses.keys()].toSorted((a, b) => a - b);
  assertEquals(kinds, [REJECTED_BY_DENO, 200, 204, 400, 405, 501]);
  for (const each of statuses.values()) assert(each > count / 100);
}
