import type { CallToolResult } from "@modelcontextprotocol/server";
import { isJson, isJsonOrText, mediaType } from "../core/common/media_type.ts";
import { isObject } from "../core/common/values.ts";
import { InvalidRequest, titleOf } from "../core/errors.ts";
import { wildcardName } from "../shared/document/parameters.ts";
import { fillPath, WILDCARD } from "../shared/fill_path.ts";
import type { RouteFinder } from "../shared/route_finder.ts";
import type { Tool } from "./tools.ts";

/** The size of the largest response that a tool returns, in bytes. */
const MAX_RESPONSE = 1_048_576;

/**
 * Creates the request to the route of a tool. Only the route validates the values; this
 * function rejects arguments that the request cannot contain.
 *
 * @param input The arguments of the call: `{ params, query, body }`.
 * @throws {InvalidRequest} If the arguments do not form a request to the route.
 */
export function requestFor(
  { method, route, accept, bodyType, listed }: Tool,
  input: Readonly<Record<string, unknown>>,
  { request, headers: names, finder }: {
    readonly request: Request;
    /** The names of the headers to pass on. */
    readonly headers: readonly string[];
    readonly finder: RouteFinder;
  },
): Request {
  const known = Object.keys(Object(listed.inputSchema.properties));
  for (const name of Object.keys(input)) {
    if (known.includes(name)) continue;
    const names = known.join(", ") || "none";
    refuse(`"${name}" is not an argument; the arguments are: ${names}`);
  }
  const url = new URL(request.url);
  url.hash = "";
  url.search = new URLSearchParams(textsOf("query", input.query)).toString();
  const params = new Map(textsOf("params", input.params));
  const wildcard = wildcardName(route.segments);
  // A URL cannot contain a lone surrogate.
  const textOf = (name: string) => (params.get(name) ?? "").toWellFormed();
  url.pathname = fillPath(
    route.path,
    (name) => name === WILDCARD ? textOf(wildcard).split("/") : [textOf(name)],
  );
  // The `bookId` "featured" may reach another route, and URLs cannot contain "..".
  const match = finder.find(url.href);
  const rest = match?.wildcardParams?.join("/");
  const captured = Object.entries({
    ...match?.params,
    ...(rest !== undefined && { [wildcard]: rest }),
  });
  if (
    match?.value.info !== route || captured.length !== params.size ||
    captured.some(([name, text]) => params.get(name) !== text)
  ) {
    refuse(`the values of "params" do not lead to "${route.path}"`);
  }
  const headers = new Headers({ accept });
  for (const name of names) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  if (input.body === undefined) return new Request(url, { method, headers });
  headers.set("content-type", bodyType);
  const body = JSON.stringify(input.body);
  return new Request(url, { method, headers, body });
}

/** The values of a part as text; an array repeats its name. */
function textsOf(part: string, value: unknown = {}): [string, string][] {
  if (!isObject(value)) return refuse(`"${part}" is not an object`);
  return Object.entries(value).flatMap(([name, value]) =>
    (part === "query" ? [value].flat() : [value]).map((
      each,
    ): [string, string] =>
      ["string", "number", "boolean"].includes(typeof each)
        ? [name, String(each)]
        : refuse(`"${part}.${name}" is not a string, a number or a boolean`)
    )
  );
}

function refuse(reason: string): never {
  throw new InvalidRequest(`Cannot call the tool: ${reason}`);
}

/**
 * Turns the response of a route into the result of its tool. A status other than 2xx
 * and a response that a tool cannot return are errors.
 */
export async function resultOf(response: Response): Promise<CallToolResult> {
  const { status, ok, headers, body } = response;
  const failed = (found: string): CallToolResult => {
    const text = `The route responded with status ${status} and ${found}`;
    return { content: [{ type: "text", text }], isError: true };
  };
  const type = mediaType(headers.get("content-type"));
  if (body !== null && !isJsonOrText(type)) {
    await body.cancel();
    return failed(`type "${type}", which is neither JSON nor text`);
  }
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_RESPONSE) return failed(`more than ${MAX_RESPONSE} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  text += decoder.decode();
  let value: unknown = text;
  try {
    if (isJson(type)) value = JSON.parse(text);
  } catch {
    return failed("invalid JSON");
  }
  return {
    content: [{ type: "text", text: text || `${status} ${titleOf(status)}` }],
    // The `outputSchema` describes no errors, so SDK 1 would reject an error with this.
    ...(ok && {
      structuredContent: { status, ...(text !== "" && { body: value }) },
    }),
    isError: !ok,
  };
}
