import { assertEquals } from "@std/assert";

export interface ExpectedResponse {
  readonly status: number;
  /** The headers by lowercase name, without the headers that the server adds. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body: the value of JSON, otherwise a string. */
  readonly body: unknown;
}

/** Headers of `Deno.serve` about the transfer of a response. */
const TRANSPORT = ["connection", "content-length", "date", "transfer-encoding"];

export function assertResponse(
  actual: {
    readonly status: number;
    readonly headers: Headers;
    readonly body: string;
  },
  expected: ExpectedResponse,
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

export function json(
  value: unknown,
  status = 200,
  headers: ExpectedResponse["headers"] = {},
): ExpectedResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: value,
  };
}

export function text(body: string, status = 200): ExpectedResponse {
  return {
    status,
    headers: { "content-type": "text/plain;charset=UTF-8" },
    body,
  };
}

export function empty(
  status: number,
  headers: ExpectedResponse["headers"] = {},
): ExpectedResponse {
  return { status, headers, body: "" };
}

export function problem(
  status: number,
  title: string,
  detail: string,
  { headers = {}, ...extensions }: {
    readonly headers?: ExpectedResponse["headers"];
    readonly [member: string]: unknown;
  } = {},
): ExpectedResponse {
  return {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
    body: { type: "about:blank", title, status, detail, ...extensions },
  };
}

/** The response to a request that violates its schema. */
export function invalid(
  ...errors:
    readonly (readonly [part: string, pointer: string, detail: string])[]
): ExpectedResponse {
  return problem(
    400,
    "Bad Request",
    "The request does not fit its schema",
    {
      errors: errors.map(([part, pointer, detail]) => ({
        in: part,
        pointer,
        detail,
      })),
    },
  );
}
