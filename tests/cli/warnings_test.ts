import { assertEquals } from "@std/assert";
import { ignoredBodies, treeWarnings } from "../../src/cli/warnings.ts";
import type { Handler } from "../../src/http/request.ts";
import type { RouteInfo } from "../../src/app/plugin.ts";
import { compilePattern } from "../../src/routing/pattern.ts";

/** The warnings about a tree of folders, by the path of each folder. */
function warningsOf(
  folders: readonly string[],
  prefix: readonly string[] = ["api"],
): (readonly [path: string, message: string])[] {
  const routes = folders.map((file) => {
    const folders = file.split("/").filter(Boolean);
    return {
      info: { file, folders },
      pattern: compilePattern(prefix, folders),
    };
  });
  return treeWarnings(routes).map(({ path, message }) => [path, message]);
}

const BESIDE =
  '"[...]" stands beside a dynamic folder, which takes all paths of one segment more; choose one of them';

function missing(url: string): string {
  return `"${url}" itself is a 404, since a wildcard takes one segment or more; add a route file there`;
}

Deno.test("treeWarnings() warns of a wildcard beside a dynamic folder, at any depth", () => {
  assertEquals(warningsOf(["a", "a/[id]", "a/[...]"]), [["a/[...]", BESIDE]]);
  assertEquals(warningsOf(["a", "a/[...]", "a/[id]/deep/er"]), [
    ["a/[...]", BESIDE],
  ]);
  assertEquals(
    warningsOf(["a/[x]", "a/[x]/[...]", "a/[y]/[z]", "(group)/b", "b/[...]"]),
    [["a/[x]/[...]", BESIDE]],
  );
  // A dynamic folder elsewhere, or above it, is none beside it.
  assertEquals(warningsOf(["a", "a/[...]", "b/[id]", "[id]/[...]"]), [
    ["[id]/[...]", missing("/api/[id]")],
  ]);
});

Deno.test("treeWarnings() warns of a wildcard whose own folder has no route", () => {
  assertEquals(warningsOf(["files/[...]"]), [
    ["files/[...]", missing("/api/files")],
  ]);
  assertEquals(warningsOf(["", "[...]"]), []);
  assertEquals(warningsOf(["[...]"]), [["[...]", missing("/api")]]);
  assertEquals(warningsOf(["[...]"], []), [["[...]", missing("/")]]);
  assertEquals(warningsOf(["", "[...]"], []), []);
  assertEquals(warningsOf(["[id]", "[name]/[...]"]), []);
});

Deno.test("treeWarnings() warns of each folder name that no client sends", () => {
  const name = "café".normalize("NFD");
  const message =
    `folder "${name}" is not in Unicode's composed form (NFC), which clients send: its route is never reached; rename the folder`;
  const path = `${name}/a/${name}`;
  assertEquals(warningsOf([path, "café"]), [[path, message], [path, message]]);
});

/** Handlers of one route, and whether each looks at its body. */
const LOOKING: Readonly<Record<string, boolean>> = {
  "function (request) { return request.validated.body; }": true,
  "(request) => request.validated": true,
  "(request) => request.json()": true,
  "async (r) => new Response(await r.text())": true,
  "async (r) => new Response(r.body)": true,
  "async (r) => r.formData()": true,
  "async (r) => r.bytes()": true,
  "async (r) => r.blob()": true,
  "async (r) => r.arrayBuffer()": true,
  "({ validated }) => Response.json(validated)": true,
  "(request) => use(request)": true,
  "request => use(request)": true,
  "async(request) => use(request)": true,
  "async  request => use(request)": true,
  "function(request) { return use(request); }": true,
  "function POST(request) { return use(request); }": true,
  "function POST (request) { return use(request); }": true,
  "async  function  POST ( request ) { return use(request); }": true,
  "function*POST(request) { yield use(request); }": true,
  "function * $1 (request) { yield use(request); }": true,
  "{ POST (request) { return use(request); } }.POST": true,
  "(r) => use({ ...r })": true,
  "($r) => use($r)": true,
  "function () { return use(arguments[0]); }": true,
  "use.bind(null)": true,
  "{ POST(request) { return use(request); } }.POST": true,
  "{ async POST(request) { return use(request); } }.POST": true,
  "{ async POST({ params }) { return use(params); } }.POST": false,
  "(request) => use(request.other)": true,
  "(request) => use(request.urls)": true,
  "(request) => [request.params.id, request]": true,
  "(a) => use(a.params, a)": true,
  "() => new Response()": false,
  "async () => new Response()": false,
  "function* POST() {}": false,
  "function POST(request) { return new Response(request.params.id); }": false,
  "async function (request) { return new Response(request.url); }": false,
  "request => new Response(request.method)": false,
  "async request => new Response(request.signal.aborted)": false,
  "(request) => new Response(request.headers.get('a'))": false,
  "(request) => new Response(request.wildcardParams[0])": false,
  "({ params }) => new Response(params.id)": false,
  "({ url, method }) => new Response(url + method)": false,
  "{ POST(request) { return new Response(request.url); } }.POST": false,
  "(a) => new Response('a request')": true,
  "(rest) => new Response('requested')": false,
  "(was) => new Response(was.url)": false,
  "(request) => new Response('my$request')": false,
};

Deno.test("ignoredBodies() tells the handlers that do not look at their body", () => {
  const use = (): Response => new Response();
  const schema = { "~standard": { version: 1, vendor: "x" } } as never;
  for (const [code, looks] of Object.entries(LOOKING)) {
    const POST: Handler = new Function("use", `return (${code})`)(use);
    const route = {
      file: "api/a/route.ts",
      schema: { post: { body: schema }, get: { query: schema } },
      handlers: new Map([["POST", POST], ["GET", use]]),
    } as unknown as RouteInfo;
    const message =
      "POST ignores the body that schema.post.body declares; read request.validated.body, or drop the schema";
    assertEquals(
      ignoredBodies([route]),
      looks ? [] : [{ path: "api/a/route.ts", message }],
      code,
    );
  }
});
