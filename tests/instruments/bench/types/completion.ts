/**
 * Measures the time that the language server of Deno takes to complete a path, a param
 * and a field of a result, with many routes.
 *
 *     deno run -A tests/instruments/bench/types/completion.ts [--routes=1000] [--rounds=15]
 */
import { dirname, join, toFileUrl } from "@std/path";
import config from "../../../../deno.json" with { type: "json" };
import { main as bough } from "@bough/framework/cli";
import { median, option, table } from "../report.ts";
import { boughServer } from "./applications.ts";

const ROOT = new URL("../../../../", import.meta.url);
const routes = Number(option("routes") ?? 1000);
const rounds = Number(option("rounds") ?? 15);
const URL_PATH = "/group7/item7/[itemId]";

/** The typed code, with a bar at the cursor. */
const PLACES = {
  path: 'await api.GET("|");',
  param: `await api.GET("${URL_PATH}", { params: { | } });`,
  field: "if (got.status === 200) got.data.|;",
} as const;

/** The time limits for loading the project, and for later requests. */
const LIMITS = { first: 180_000, other: 30_000 };

/** Sends messages to a language server over its standard streams (LSP 3.17). */
class LanguageServer implements AsyncDisposable {
  readonly #child = new Deno.Command(Deno.execPath(), {
    args: ["lsp", "--quiet"],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  readonly #writer = this.#child.stdin.getWriter();
  readonly #waiting = new Map<number, (result: unknown) => void>();
  readonly #reading = this.#read();
  #id = 0;

  /** Sends a request, and rejects if the server does not respond in time. */
  async request(
    method: string,
    params: unknown,
    limit: number = LIMITS.other,
  ): Promise<unknown> {
    const id = ++this.#id;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, resolve);
    const timer = setTimeout(
      () => reject(new Error(`No response to "${method}" in ${limit} ms`)),
      limit,
    );
    this.#send({ id, method, params });
    return await promise.finally(() => clearTimeout(timer));
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  #send(message: object): void {
    const bytes = new TextEncoder().encode(
      JSON.stringify({ jsonrpc: "2.0", ...message }),
    );
    const head = `Content-Length: ${bytes.length}\r\n\r\n`;
    // If the server has ended, the time limit rejects.
    this.#writer.write(new TextEncoder().encode(head)).catch(() => {});
    this.#writer.write(bytes).catch(() => {});
  }

  async #read(): Promise<void> {
    let text = "";
    const decoder = new TextDecoder("latin1");
    for await (const chunk of this.#child.stdout) {
      text += decoder.decode(chunk);
      for (;;) {
        const [head, length] =
          /^Content-Length: (\d+)\r\n(?:[^\r]+\r\n)*\r\n/.exec(text) ?? [];
        if (head === undefined || text.length < head.length + Number(length)) {
          break;
        }
        const end = head.length + Number(length);
        this.#take(JSON.parse(text.slice(head.length, end)));
        text = text.slice(end);
      }
    }
  }

  #take(
    message: {
      id?: number;
      method?: string;
      result?: unknown;
      params?: { items?: unknown[] };
    },
  ): void {
    const { id, method, result, params } = message;
    if (id === undefined) return;
    if (method === undefined) {
      this.#waiting.get(id)?.(result);
      this.#waiting.delete(id);
    } else {
      // The server asks for the settings of the editor.
      const items = params?.items?.map(() => ({ enable: true })) ?? null;
      this.#send({ id, result: items });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
    await this.#reading;
    await this.#writer.abort().catch(() => {});
  }
}

const folder = await Deno.realPath(await Deno.makeTempDir());
const remove = () => Deno.removeSync(folder, { recursive: true });
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    remove();
    Deno.exit(1);
  });
}
try {
  for (const [path, text] of Object.entries(boughServer(routes))) {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  }
  const { imports, compilerOptions } = config;
  const entryPoints = Object.entries(config.exports).map(([name, file]) => [
    join("@bough/framework", name),
    new URL(file, ROOT).href,
  ]);
  await Deno.writeTextFile(
    join(folder, "deno.json"),
    JSON.stringify({
      imports: { zod: imports.zod, ...Object.fromEntries(entryPoints) },
      compilerOptions,
    }),
  );
  await bough([
    "types",
    join(folder, "api"),
    "-o",
    join(folder, "api.types.ts"),
  ]);
  await using server = new LanguageServer();
  await server.request("initialize", {
    processId: Deno.pid,
    rootUri: null,
    workspaceFolders: [
      { name: "bough", uri: ROOT.href },
      { name: "application", uri: toFileUrl(folder).href },
    ],
    capabilities: { workspace: { configuration: true } },
    initializationOptions: { enable: true },
  });
  server.notify("initialized", {});
  const uri = toFileUrl(join(folder, "client.ts")).href;
  const lines = [
    'import { createClient } from "@bough/framework/client";',
    'import type { Routes } from "./api.types.ts";',
    "const api = createClient<Routes>();",
    `const got = await api.GET("${URL_PATH}", { params: { itemId: "1" } });`,
    ...Object.values(PLACES),
  ];
  const text = lines.join("\n").replaceAll("|", "");
  await Deno.writeTextFile(join(folder, "client.ts"), text);
  server.notify("textDocument/didOpen", {
    textDocument: { uri, languageId: "typescript", version: 1, text },
  });
  const times = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    // Changes the text, as each key in an editor does.
    server.notify("textDocument/didChange", {
      textDocument: { uri, version: round + 2 },
      contentChanges: [{ text: `${text}\n// ${round}\n` }],
    });
    for (const [name, code] of Object.entries(PLACES)) {
      const before = performance.now();
      const result = await server.request("textDocument/completion", {
        textDocument: { uri },
        position: {
          line: lines.indexOf(code),
          character: code.indexOf("|"),
        },
      }, round === 0 ? LIMITS.first : LIMITS.other);
      const { items } = (result ?? { items: [] }) as { items: unknown[] };
      if (items.length === 0) throw new Error(`Nothing completes the ${name}`);
      // The first round loads the project.
      if (round === 0) continue;
      times.set(name, [...times.get(name) ?? [], performance.now() - before]);
    }
  }
  console.log(table(
    ["completed", "milliseconds"],
    [...times].map(([name, measured]) => [name, median(measured).toFixed(0)]),
  ));
} finally {
  remove();
}
Deno.exit();
