import type { EntryBody, RequestEntry } from "./entry.ts";
import { variableOf } from "./secret_names.ts";

/** Options of {@linkcode copiesOf}. */
export interface CopyOptions {
  /** The origin of the server: `http://127.0.0.1:8000`. */
  readonly origin: string;
  /** The module that exports `app`, seen from the test: `./main.ts`. */
  readonly main: string;
}

/** How a body or a URL contains the value of a secret, as an expression. */
const ENCODE = {
  json: (value: string) => `JSON.stringify(${value}).slice(1, -1)`,
  form: (value: string) => `encodeURIComponent(${value})`,
};

/** Splits a text; every second part is the name of a secret. */
type Split = (text: string) => string[];

/**
 * Headers that `curl`, a `Request` or the connection sets. They do not include
 * `Sec-Fetch-Site`, because Bough's check of origins reads it.
 */
const SET_BY_CLIENT =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|proxy-connection|te|trailer|expect|accept-encoding|sec-fetch-(?!site$).*)$/i;

/**
 * Returns a request as a command and as a test, or why it cannot be repeated. Both read
 * secrets from environment variables.
 */
export function copiesOf(
  entry: RequestEntry,
  options: CopyOptions,
): Pick<RequestEntry, "copies" | "unrepeatable"> {
  const unrepeatable = obstacleOf(entry);
  if (unrepeatable !== undefined) return { unrepeatable };
  const { request, secrets } = entry;
  const headers = request.headers.filter(([name]) => !SET_BY_CLIENT.test(name));
  const sent = { ...entry, request: { ...request, headers } };
  const pattern = new RegExp(`«(${secrets.join("|") || "(?!)"})»`);
  const split = (text: string) => text.split(pattern);
  const curl = curlOf(sent, split, options);
  return { copies: { curl, test: testOf(sent, split, options) } };
}

function obstacleOf(
  { method, url, request }: RequestEntry,
): string | undefined {
  const { headers, body } = request;
  const sent = new Map(
    headers.map(([name, value]) => [name.toLowerCase(), value]),
  );
  const length = sent.has("transfer-encoding") ? 1 : sent.get("content-length");
  const { size = 0, text = "", isCut } = body ?? {};
  if (sent.has("upgrade")) return "it asked for a socket";
  if (isCut) return "its body was cut";
  if (size < Number(length ?? 0)) return "its body was not read";
  if (size > 0 && body?.text === undefined || /[\0\ufffd]/.test(text)) {
    return "its body is not text";
  }
  if (/^(?:connect|trace|track)$/i.test(method)) {
    return `a Request cannot have the method ${method}`;
  }
  if (/^(?:get|head)$/i.test(method) && text !== "") {
    return `a Request with the method ${method} cannot have a body`;
  }
  if (/^[^?]*(?:\\|\/(?:\.|%2e){1,2}(?:[/?]|$))/i.test(url)) {
    return "a Request cannot have a URL with dots as segments, or with backslashes";
  }
}

/** Returns a command for bash and zsh. */
function curlOf(
  { method, url, request: { headers, body } }: RequestEntry,
  split: Split,
  { origin }: CopyOptions,
): string {
  const text = body?.text ?? "";
  const names = headers.map(([name]) => name.toLowerCase());
  // `curl` adds these headers, unless an argument removes them.
  const unwanted = ["accept", "user-agent", ...(text ? ["content-type"] : [])]
    .filter((name) => !names.includes(name));
  return [
    `curl ${shell(split(origin + url))}`,
    ...(/[[\]{}]/.test(url) ? ["--globoff"] : []),
    ...(method === "HEAD" ? ["--head"] : []),
    ...(/^(?:GET|HEAD)$/.test(method)
      ? []
      : [`-X ${/^[A-Z]+$/.test(method) ? method : shell([method])}`]),
    ...headers.map(([name, value]) =>
      value === ""
        ? `-H ${shell([`${name};`])}`
        : `-H ${shell(split(`${name}: ${value}`).map(decodeHeader))}`
    ),
    ...unwanted.map((name) => `-H '${name}:'`),
    // With `--data-binary`, a body such as `@/etc/passwd` would name a file.
    ...(text === "" ? [] : [`--data-raw ${shell(split(text))}`]),
  ].join(" \\\n  ");
}

/** Writes a text as one word of a shell, with secrets read from variables. */
function shell(parts: readonly string[]): string {
  const variable = (name: string) => `\${${variableOf(name)}:?}`;
  const isPlain = parts.every((part) => /^[\w :/?&.,;=+*@%-]*$/.test(part));
  if (isPlain && parts.length > 1) {
    return `"${
      parts.map((it, index) => index % 2 ? variable(it) : it).join("")
    }"`;
  }
  return parts.map((it, index) => index % 2 ? `"${variable(it)}"` : quote(it))
    .join("");
}

function quote(text: string): string {
  // Interactive shells react to control characters, and to `!` after the first line.
  if (!/[[\p{C}\p{Z}]--[\n ]]|\n[^]*!/v.test(text)) {
    return text && `'${text.replaceAll("'", `'\\''`)}'`;
  }
  const escaped = text.replaceAll(/[[\p{C}\p{Z}'\\!]--[ ]]/gv, (character) => {
    const unit = character.charCodeAt(0);
    const bytes = unit < 0xdc80 || unit > 0xdcff
      ? new TextEncoder().encode(character)
      : [unit & 0xff];
    return Array.from(
      bytes,
      (byte) => `\\x${byte.toString(16).padStart(2, "0")}`,
    ).join("");
  });
  return `$'${escaped}'`;
}

/** Decodes the bytes of a header; bytes that are not UTF-8 become lone surrogates. */
function decodeHeader(text: string, index: number): string {
  if (index % 2) return text;
  const bytes = Uint8Array.from(text, (unit) => unit.charCodeAt(0));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(bytes);
  } catch {
    return text.replaceAll(
      /[\x80-\xff]/g,
      (unit) => String.fromCharCode(0xdc00 + unit.charCodeAt(0)),
    );
  }
}

/** Returns the source of a test. */
function testOf(
  { method, url, status, response, request }: RequestEntry,
  split: Split,
  { origin, main }: CopyOptions,
): string {
  const { headers, body } = request;
  const write = (text: string, encode = (value: string) => value) =>
    split(text).map((it, index) =>
      index % 2 ? encode(`secret(${js(variableOf(it))})`) : it && js(it)
    ).filter((it) => it !== "").join(" + ");
  const text = body?.text && write(
    body.text,
    /json$/i.test(body.type)
      ? ENCODE.json
      : /form-urlencoded$/i.test(body.type)
      ? ENCODE.form
      : undefined,
  );
  const isTyped = headers.some(([name]) => /^content-type$/i.test(name));
  // Headers and bodies that were replaced, such as `"Bearer " + secret("TOKEN")`.
  const lines = [
    `    method: ${js(method)},`,
    "    headers: [",
    ...headers.map(([name, value]) =>
      `      [${js(name)}, ${write(value) || '""'}],`
    ),
    "    ],",
    // `Request` adds a type to a string.
    text &&
    `    body: ${isTyped ? text : `new TextEncoder().encode(${text})`},`,
  ].filter(Boolean).join("\n");
  const isFailed = status === undefined || status >= 500;
  const json = isFailed ? undefined : jsonOf(response?.body, split);
  const [assertion, expected, comment] = isFailed
    ? [
      "assertLess",
      500,
      "Fails until the status of the response is below 500.",
    ]
    : [
      "assertEquals",
      status,
      "Passes while the application responds as it did.",
    ];
  const source = `import { ${assertion} } from "@std/assert";
import { app } from ${js(main)};

// ${comment}
Deno.test(${js(`${method} ${url}`)}, async () => {
  const request = new Request(${write(origin + url, ENCODE.form)}, {
${lines}
  });
  const response = await app.fetch(request);
  ${assertion}(response.status, ${expected});
  ${
    json === undefined
      ? "await response.body?.cancel();"
      : `assertEquals(await response.json(), ${json});`
  }
});
`;
  return source.includes('secret("') ? source + READ_SECRET : source;
}

const READ_SECRET = `
function secret(name: string): string {
  const value = Deno.env.get(name);
  if (value !== undefined) return value;
  throw new Error(\`Set the environment variable "\${name}"\`);
}
`;

/** Returns the expression for a JSON body; `undefined` if the body has no fixed value. */
function jsonOf(body: EntryBody | undefined, split: Split): string | undefined {
  const { type = "", text = "", isCut } = body ?? {};
  if (isCut || !/[/+]json$/i.test(type) || split(text).length > 1) {
    return undefined;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // A literal would differ for `-0`, `1e999` and `"__proto__"`.
  const isLiteral = JSON.stringify(value) === text &&
    !text.includes("__proto__");
  if (!isLiteral) return `JSON.parse(${js(text)})`;
  return visible(JSON.stringify(value, null, 2)).replaceAll("\n", "\n  ");
}

/** Returns the literal of a string. */
function js(text: string): string {
  return visible(JSON.stringify(text));
}

/** Escapes characters that end a line, or that change the direction of text. */
function visible(literal: string): string {
  return literal.replaceAll(
    /[\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
