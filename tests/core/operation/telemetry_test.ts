import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";

const CONFIG = fromFileUrl(new URL("../../../deno.json", import.meta.url));
const PROGRAM = fromFileUrl(new URL("telemetry_program.ts", import.meta.url));

interface Attributed {
  readonly attributes: readonly {
    readonly key: string;
    readonly value: Readonly<Record<string, unknown>>;
  }[];
}

interface Span extends Attributed {
  readonly name: string;
  readonly kind: number;
  readonly endTimeUnixNano: string;
  readonly events?: readonly (Attributed & { readonly name: string })[];
  readonly status?: { readonly code?: number };
}

interface Metric {
  readonly name: string;
  readonly histogram?: { readonly dataPoints: readonly Attributed[] };
}

/** Receives the telemetry of a program, as OTLP in JSON. */
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

function values({ attributes }: Attributed): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
  );
}

/** Runs the program, which sends its telemetry to a collector; returns its output. */
async function run({ url }: Collector): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--config", CONFIG]
      .concat("--allow-read", "--allow-net", PROGRAM),
    env: {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_DENO_CONSOLE: "ignore",
    },
  }).output();
  const decoder = new TextDecoder();
  assert(success, decoder.decode(stderr));
  return decoder.decode(stdout);
}

Deno.test("spans and metrics contain the route of a request, but never its path", async () => {
  await using collector = new Collector();
  const stdout = await run(collector);
  const server = collector.spans.filter(({ kind }) => kind === 2);
  const user = ["GET /api/users/[id]", "/api/users/[id]", undefined];
  assertEquals(
    server.map((span) => {
      const { "http.route": route, "bough.deprecated": deprecated } = values(
        span,
      );
      return [span.name, route, deprecated];
    }),
    [
      user,
      user,
      ["DELETE /api/users/[id]", "/api/users/[id]", undefined],
      ["GET", undefined, undefined],
      ["HTTP", undefined, undefined],
      user,
      ["GET /api/old", "/api/old", true],
      ["POST /api/old", "/api/old", undefined],
      ["POST /outer", "/outer", undefined],
      ["GET /api/events", "/api/events", undefined],
    ],
  );
  const end = Number(BigInt(server[9]!.endTimeUnixNano) / 1_000_000n);
  assert(
    end < Number(stdout),
    "the span of a stream ends when the stream begins",
  );
  for (
    const [index, type, message] of [
      [1, "TypeError", "no database"],
      [5, undefined, "toString: [Function: toString]"],
    ] as const
  ) {
    const { status, events: [exception] = [] } = server[index]!;
    assertEquals([status?.code, exception!.name], [2, "exception"]);
    const thrown = values(exception!);
    if (type) assertEquals(thrown["exception.type"], type);
    assertStringIncludes(`${thrown["exception.message"]}`, message);
  }
  const duration = collector.metrics.filter(({ name }) =>
    name === "http.server.request.duration"
  );
  const points = duration.flatMap(({ histogram }) => histogram!.dataPoints);
  assert(
    points.some((point) => values(point)["http.route"] === user[1]),
    JSON.stringify(duration),
  );
  const names = server.map(({ name }) => name).join();
  assertEquals((names + JSON.stringify(duration)).includes("secret"), false);
});
