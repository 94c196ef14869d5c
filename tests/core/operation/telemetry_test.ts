import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";

const CONFIG = fromFileUrl(new URL("../../../deno.json", import.meta.url));
const PROGRAM = fromFileUrl(new URL("telemetry_program.ts", import.meta.url));

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

function values(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue]),
  );
}

/** Runs the program, which may send its telemetry to a collector. */
async function run(
  collector?: Collector,
): Promise<{ stdout: string; stderr: string }> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--config", CONFIG]
      .concat("--allow-read", "--allow-net", PROGRAM),
    env: collector === undefined ? {} : {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_DENO_CONSOLE: "ignore",
    },
  }).output();
  const decoder = new TextDecoder();
  const text = decoder.decode(stderr);
  assert(success, text);
  return { stdout: decoder.decode(stdout), stderr: text };
}

Deno.test("spans and metrics contain the route of a request, but never its path", async () => {
  await using collector = new Collector();
  const { stdout } = await run(collector);
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
  const end = Number(BigInt(server[9]!.endTimeUnixNano) / 1_000_000n);
  assert(
    end < Number(stdout),
    "the span of a stream ends when the stream begins",
  );
  const [, broken] = server;
  assertEquals(broken!.status?.code, 2);
  const [exception] = broken!.events!;
  assertEquals(exception!.name, "exception");
  const thrown = values(exception!.attributes);
  assertEquals(thrown["exception.type"], "TypeError");
  assertEquals(thrown["exception.message"], "no database");

  const unreadable = server[5]!;
  assertEquals(unreadable.status?.code, 2);
  assertStringIncludes(
    String(values(unreadable.events![0]!.attributes)["exception.message"]),
    "toString: [Function: toString]",
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

Deno.test("without telemetry, the application works, and logs its errors", async () => {
  const { stderr } = await run();
  assert(stderr.includes("[bough] GET /api/users/[id] (users/[id]/route.ts)"));
});
