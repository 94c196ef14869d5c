import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { TestFolder } from "../support/application.ts";

const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));

const FILES = {
  "api/users/[id]/route.ts": `
    export async function GET({ params }) {
      await new Promise((go) => setTimeout(go, 1));
      if (params.id === "broken") throw new TypeError("no database");
      if (params.id === "hostile") {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return Promise.resolve().then(() => { throw proxy; });
      }
      return Response.json(params);
    }`,
  "api/old/route.ts": `
    export const schema = { get: { deprecated: true } };
    export const GET = () => new Response();`,
  "api/events/route.ts": `
    import { events } from "@bough/framework/live";
    export function GET(request) {
      return events(request, async function* ({ signal }) {
        yield { data: 1 };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      });
    }`,
  "main.ts": `
    import { Framework } from "@bough/framework";
    // A route of this plugin calls another route of the application.
    const plugin = {
      name: "outer",
      routes: ({ fetch }) => [{
        path: "/outer",
        handlers: {
          POST: ({ url, info }) => fetch(new Request(new URL("/api/users/secret-5", url)), info),
        },
      }],
    };
    const app = new Framework({ apiDir: "api", plugins: [plugin] });
    const server = await app.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} });
    const call = async (path, method = "GET") => {
      const response = await fetch("http://127.0.0.1:" + server.addr.port + path, { method });
      await response.body?.cancel();
    };
    await call("/api/users/secret-1");
    await call("/api/users/broken");
    await call("/api/users/secret-2", "DELETE");
    await call("/secret-3");
    await call("/secret-4", "SECRET");
    await call("/api/users/hostile");
    await call("/api/old");
    await call("/api/old", "POST");
    await call("/outer", "POST");
    const stream = await fetch("http://127.0.0.1:" + server.addr.port + "/api/events");
    const reader = stream.body.getReader();
    await reader.read();
    await new Promise((go) => setTimeout(go, 1_000));
    await reader.cancel();
    await server.shutdown();
  `,
};

interface Attribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly boolValue?: boolean;
  };
}

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly events?: readonly {
    name: string;
    attributes: readonly Attribute[];
  }[];
  readonly status?: { readonly code?: number; readonly message?: string };
}

interface Metric {
  readonly name: string;
  readonly histogram?: {
    readonly dataPoints: readonly {
      readonly attributes: readonly Attribute[];
    }[];
  };
}

/** What a collector is sent by a traced program, as OTLP in JSON. */
class Collector implements AsyncDisposable {
  readonly spans: Span[] = [];
  readonly metrics: Metric[] = [];
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const sent = await request.json();
      for (const { scopeSpans } of sent.resourceSpans ?? []) {
        for (const { spans } of scopeSpans) this.spans.push(...spans);
      }
      for (const { scopeMetrics } of sent.resourceMetrics ?? []) {
        for (const { metrics } of scopeMetrics) this.metrics.push(...metrics);
      }
      return Response.json({});
    },
  );

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

function values(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue]),
  );
}

/** Runs the application, telling a collector of it if there is one. */
async function run(collector?: Collector): Promise<string> {
  await using folder = await TestFolder.create(FILES);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--config",
      CONFIG,
      "--allow-read",
      "--allow-net",
      "main.ts",
    ],
    cwd: folder.path,
    env: collector === undefined ? {} : {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_DENO_CONSOLE: "ignore",
    },
  }).output();
  const text = new TextDecoder().decode(stderr);
  assert(success, text);
  return text;
}

Deno.test("spans and metrics carry the route of a request, and never its path", async () => {
  await using collector = new Collector();
  await run(collector);
  const server = collector.spans.filter(({ kind }) => kind === 2);
  assertEquals(
    server.map(({ name, attributes }) => [
      name,
      values(attributes)["http.route"],
    ]),
    [
      ["GET /api/users/[id]", "/api/users/[id]"],
      ["GET /api/users/[id]", "/api/users/[id]"],
      ["DELETE /api/users/[id]", "/api/users/[id]"],
      ["GET", undefined],
      ["HTTP", undefined],
      ["GET /api/users/[id]", "/api/users/[id]"],
      ["GET /api/old", "/api/old"],
      ["POST /api/old", "/api/old"],
      ["POST /outer", "/outer"],
      ["GET /api/events", "/api/events"],
    ],
  );
  const deprecated = server.filter(({ attributes }) =>
    attributes.some(({ key, value }) =>
      key === "bough.deprecated" && value.boolValue === true
    )
  );
  assertEquals(deprecated.map(({ name }) => name), ["GET /api/old"]);
  const { startTimeUnixNano, endTimeUnixNano } = server[9]!;
  const took = BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano);
  assert(took < 1_000_000_000n, "a stream counts until it begins");
  const [, broken] = server;
  assertEquals(broken!.status?.code, 2);
  const [exception] = broken!.events!;
  assertEquals(exception!.name, "exception");
  const told = values(exception!.attributes);
  assertEquals(told["exception.type"], "TypeError");
  assertEquals(told["exception.message"], "no database");

  const hostile = server[5]!;
  assertEquals(hostile.status?.code, 2);
  assertEquals(
    values(hostile.events![0]!.attributes)["exception.message"],
    "a value that cannot be inspected",
  );

  const duration = collector.metrics.filter(({ name }) =>
    name === "http.server.request.duration"
  );
  const points = duration.flatMap(({ histogram }) => histogram!.dataPoints);
  assert(
    points.some(({ attributes }) =>
      values(attributes)["http.route"] === "/api/users/[id]"
    ),
    JSON.stringify(duration),
  );
  const names = server.map(({ name }) => name).join();
  assertEquals((names + JSON.stringify(duration)).includes("secret"), false);
});

Deno.test("without telemetry nothing is told, and nothing differs", async () => {
  const log = await run();
  assert(log.includes("[bough] GET /api/users/[id] (api/users/[id]/route.ts)"));
});
