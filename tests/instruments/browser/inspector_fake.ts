import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { entryOf } from "../../dev/inspector/entry_of.ts";

const FOLDER = new URL("../../../src/dev/inspector/", import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves the page of the inspector with the given data, which a real application
 * produces only with effort: 10,000 characters in each value, or markup in a method.
 */
export class FakeInspector implements AsyncDisposable {
  start = "first";
  entries: RequestEntry[] = [];
  routes: unknown[] = [];
  findings: unknown[] = [];
  /** The number of times that the page asked for requests. */
  polls = 0;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
    this.#server = Deno.serve(options, (request) => this.#respond(request));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/_bough`;
  }

  /** Adds an entry, with defaults for members that are not given. */
  add(entry: Partial<RequestEntry>): RequestEntry {
    const id = this.entries.length + 1;
    const added = entryOf({ id, version: id, ...entry });
    this.entries.push(added);
    return added;
  }

  async #respond(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const [, name = "page.html"] = pathname.split("/_bough/");
    switch (name) {
      case "api/requests": {
        this.polls++;
        const after = Number(searchParams.get("after"));
        const requests = this.entries.filter(({ version }) => version > after)
          .toReversed();
        const version = Math.max(
          0,
          ...this.entries.map((each) => each.version),
        );
        return Response.json({ start: this.start, version, requests });
      }
      case "api/routes": {
        const editor = "vscode://file/{file}:{line}:{column}";
        return Response.json({ editor, routes: this.routes });
      }
      case "api/findings":
        return Response.json({ findings: this.findings });
      case "api/explain":
        return Response.json({ status: 404, otherCandidates: [] });
    }
    const id = /^api\/requests\/(\d+)$/.exec(name)?.[1];
    if (id !== undefined) return Response.json(this.entries[Number(id) - 1]);
    const text = await Deno.readTextFile(new URL(name, FOLDER));
    const type = TYPES[name.split(".").at(-1)!]!;
    return new Response(text, {
      headers: { "content-type": type, "content-security-policy": POLICY },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
