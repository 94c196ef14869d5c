import { isJson, MULTIPART } from "../../core/common/media_type.ts";
import type { EntryBody, RequestEntry } from "./entry.ts";
import { variableOf } from "./secret_names.ts";

/** Writes the expression for a secret in JSON, or in a form or a URL. */
const ENCODE = {
  json: (value: string) => `JSON.stringify(${value}).slice(1, -1)`,
  form: (value: string) => `encodeURIComponent(${value})`,
};

/** Splits `Bearer «token»` into `Bearer `, the name `token` and an empty text. */
type Split = (text: string) => string[];

/**
 * Headers that `curl`, a `Request` or the connection sets. Copies keep `Sec-Fetch-Site`,
 * because Bough's check of origins reads it.
 */
const SET_BY_CLIENT =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|proxy-connection|te|trailer|expect|accept-encoding|sec-fetch-(?!site$).*)$/i;

/**
 * Returns a request as a command and as a test, or why it cannot be repeated. Command and
 * test read secrets from environment variables. The test imports `app` from `./main.ts`.
 *
 * @param origin The origin of the server: `http://127.0.0.1:8000`.
 */
export function copiesOf(
  entry: RequestEntry,
  origin: string,
): Pick<RequestEntry, "copies" | "unrepeatable"> {
  const unrepeatable = obstacleOf(entry);
  if (unrepeatable !== undefined) return { unrepeatable };
  const { request, secrets } = entry;
  const headers = request.headers.filter(([name]) => !SET_BY_CLIENT.test(name));
  const sent = { ...entry, request: { ...request, headers } };
  const pattern = new RegExp(`«(${secrets.join("|") || "(?!)"})»`);
  const split = (text: string) => text.split(pattern);
  const curl = curlOf(sent, split, origin);
  return { copies: { curl, test: testOf(sent, split, origin) } };
}

function obstacleOf(
  { state, url, request, unrepeatable }: RequestEntry,
): string | undefined {
  if (state !== "done") return "it has not ended";
  if (unrepeatable !== undefined) return unrepeatable;
  const { headers, body } = request;
  if (headers.some(([name]) => name === "upgrade")) {
    return "it asked for a socket";
  }
  if (headers.some(([, value]) => /[^\t -~«»]/.test(value))) {
    return "a header is not ASCII";
  }
  if (body?.type === MULTIPART) return "its body is a form with parts";
  if (body !== undefined && body.text === undefined) {
    return "its body is not shown";
  }
  // `new Request()` would change `/a/../b`, and send `@evil.com` to another host.
  if (/^[^/]|^[^?]*(?:\\|\/(?:\.|%2e){1,2}(?:[/?]|$))/i.test(url)) {
    return "a Request cannot have its URL";
  }
}

/** Returns a command for bash and zsh. */
function curlOf(
  { method, url, request: { headers, body } }: RequestEntry,
  split: Split,
  origin: string,
): string {
  const text = body?.text ?? "";
  // `curl` adds these headers, unless an argument removes them.
  const unwanted = ["accept", "user-agent"]
    .filter((name) => !headers.some((header) => header[0] === name));
  return [
    `curl ${shell(split(origin + url))}`,
    ...(/[[\]{}]/.test(url) ? ["--globoff"] : []),
    ...(method === "HEAD" ? ["--head"] : []),
    ...(/^(?:GET|HEAD)$/.test(method)
      ? []
      : [`-X ${/^[A-Z]+$/.test(method) ? method : shell([method])}`]),
    ...headers.map(([name, value]) =>
      `-H ${shell(split(value === "" ? `${name};` : `${name}: ${value}`))}`
    ),
    ...unwanted.map((name) => `-H '${name}:'`),
    // With `--data-binary`, a body such as `@/etc/passwd` would name a file.
    ...(text === "" ? [] : [`--data-raw ${shell(split(text))}`]),
  ].join(" \\\n  ");
}

/** Writes a text as one word of a shell, which reads secrets from variables. */
function shell(parts: readonly string[]): string {
  const variable = (name: string) => `\${${variableOf(name)}:?}`;
  return parts.map((it, index) => index % 2 ? `"${variable(it)}"` : quote(it))
    .join("");
}

function quote(text: string): string {
  // Interactive shells react to control characters, and to `!` after the first line.
  if (!/[[\p{C}\p{Z}]--[\n ]]|\n[^]*!/v.test(text)) {
    return text && `'${text.replaceAll("'", `'\\''`)}'`;
  }
  const escaped = text.replaceAll(/[[\p{C}\p{Z}'\\!]--[ ]]/gv, (character) => {
    const bytes = new TextEncoder().encode(character);
    return bytes.toHex().replaceAll(/../g, "\\x$&");
  });
  return `$'${escaped}'`;
}

function testOf(
  { method, url, status, response, request }: RequestEntry,
  split: Split,
  origin: string,
): string {
  const { headers, body } = request;
  /** Writes `"Bearer " + secret("TOKEN")` for a value with a secret. */
  const write = (text: string, encode?: (value: string) => string) =>
    split(text).map((it, index) => {
      if (index % 2 === 0) return it && js(it);
      const value = `secret(${js(variableOf(it))})`;
      return encode ? encode(value) : value;
    }).filter((it) => it !== "").join(" + ") || '""';
  const kind = /(json|form)(?:-urlencoded)?$/i.exec(body?.type ?? "")?.[1];
  const text = write(body?.text ?? "", ENCODE[kind as keyof typeof ENCODE]);
  const isFailed = status === undefined || status >= 500;
  const json = isFailed ? undefined : jsonOf(response?.body, split);
  const [comment, assertion, expected] = isFailed
    ? ["Fails until the status is below 500.", "assertLess", 500]
    : ["Passes while the response stays the same.", "assertEquals", status];
  const source = `import { ${assertion} } from "@std/assert";
import { app } from "./main.ts";

// ${comment}
Deno.test(${js(`${method} ${url}`)}, async () => {
  const request = new Request(${write(origin + url, ENCODE.form)}, {
    method: ${js(method)},
    headers: [${
    headers.map(([name, value]) => `\n      [${js(name)}, ${write(value)}],`)
      .join("")
  }
    ],${body?.text ? `\n    body: ${text},` : ""}
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

/** Returns the expression for a JSON body; `undefined` if it is unknown or has a secret. */
function jsonOf(body: EntryBody | undefined, split: Split): string | undefined {
  const { type = "", text = "" } = body ?? {};
  if (text === "" || !isJson(type) || split(text).length > 1) return undefined;
  const value: unknown = JSON.parse(text);
  // A literal would differ for `-0`, `1e999` and `"__proto__"`.
  const isLiteral = JSON.stringify(value) === text &&
    !text.includes("__proto__");
  if (!isLiteral) return `JSON.parse(${js(text)})`;
  return visible(JSON.stringify(value, null, 2)).replaceAll("\n", "\n  ");
}

/** Returns a string as a literal. */
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
