import { assertEquals } from "@std/assert";

/** What came back, or what should: all of it that matters. */
export interface Answer {
  /** The status code. */
  readonly status: number;
  /** The headers by lowercase name, but those that the server adds itself. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body: a value if it is JSON, a text otherwise. */
  readonly body: unknown;
}

/** What `Deno.serve` adds to an answer to say how it is sent. */
const TRANSPORT = ["connection", "content-length", "date", "transfer-encoding"];

/** Fails unless what came back is what should: status, headers and body. */
export function assertAnswer(
  actual: {
    readonly status: number;
    readonly headers: Headers;
    readonly body: string;
  },
  expected: Answer,
): void {
  const { status, headers, body } = actual;
  const isJson = headers.get("content-type")?.endsWith("json") && body !== "";
  assertEquals({
    status,
    headers: Object.fromEntries(
      [...headers].filter(([name]) => !TRANSPORT.includes(name)),
    ),
    body: isJson ? JSON.parse(body) : body,
  }, expected);
}

/** An answer in JSON. */
export function json(
  value: unknown,
  status = 200,
  headers: Answer["headers"] = {},
): Answer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: value,
  };
}

/** An answer in plain text. */
export function text(body: string, status = 200): Answer {
  return {
    status,
    headers: { "content-type": "text/plain;charset=UTF-8" },
    body,
  };
}

/** An answer without a body. */
export function empty(status: number, headers: Answer["headers"] = {}): Answer {
  return { status, headers, body: "" };
}

/** A problem document. */
export function problem(
  status: number,
  title: string,
  detail: string,
  { headers = {}, ...extensions }: {
    readonly headers?: Answer["headers"];
    readonly [member: string]: unknown;
  } = {},
): Answer {
  return {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
    body: { type: "about:blank", title, status, detail, ...extensions },
  };
}

/** The answer to what does not fit a schema. */
export function invalid(
  ...errors:
    readonly (readonly [part: string, pointer: string, detail: string])[]
): Answer {
  return problem(
    400,
    "Bad Request",
    "The request does not fit the schema of its route",
    {
      errors: errors.map(([part, pointer, detail]) => ({
        in: part,
        pointer,
        detail,
      })),
    },
  );
}
