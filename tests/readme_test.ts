import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { TestFolder } from "./support/application.ts";
import { DenoProcess, freePort } from "./support/process.ts";

const ROOT = new URL("../", import.meta.url);
const README = await Deno.readTextFile(new URL("README.md", ROOT));

/** The files that the README shows, by path; each snippet begins with its own. */
const FILES = Object.fromEntries(
  [...README.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, code]) => {
    const path = /^\/\/ (\S+)\n/.exec(code!)?.[1];
    assert(path !== undefined, `A snippet does not name its file:\n${code}`);
    return [path, withLocalImports(code!)];
  }),
);

/** The package stands in for its own published self. */
function withLocalImports(code: string): string {
  return code.replaceAll("jsr:@", "@").replaceAll("npm:zod@4", "zod")
    .replaceAll("npm:hono@4", "hono");
}

interface Call {
  /** The arguments of `curl`. */
  readonly args: readonly string[];
  /** The lines that the README shows as its output. */
  readonly shown: readonly string[];
}

/** The `curl` commands under a heading of a page, with what they print. */
function callsUnder(heading: string, page: string): Call[] {
  const section = page.split(/^## /m).find((text) =>
    text.startsWith(heading + "\n")
  );
  assert(section !== undefined, heading);
  const calls: Call[] = [];
  for (const [, block] of section.matchAll(/^```console\n([^]*?)^```/gm)) {
    for (const part of block!.split(/^\$ /m).slice(1)) {
      const [command, ...shown] = part.trimEnd().split("\n");
      if (!command!.startsWith("curl ")) continue;
      const args = command!.match(/'[^']*'|\S+/g)!.slice(1)
        .map((arg) => arg.replaceAll("'", ""));
      calls.push({ args, shown });
    }
  }
  assert(calls.length > 0, heading);
  return calls;
}

/** Does what `curl` does with the arguments that the README uses. */
async function curl(args: readonly string[], port: number): Promise<string[]> {
  const headers = new Headers();
  const data: string[] = [];
  let method, url, showsHead = false;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index]!;
    if (arg === "-i") showsHead = true;
    else if (arg === "-X") method = args[++index]!;
    else if (arg === "-d") data.push(args[++index]!);
    else if (arg === "-H") {
      const [name, value] = args[++index]!.split(": ");
      headers.set(name!, value!);
    } else {
      assert(arg.startsWith("http://localhost:8000/"), arg);
      url = arg.replace("localhost:8000", `127.0.0.1:${port}`);
    }
  }
  const body = data.join("&").replace(
    "…2,000 bytes or more…",
    "x".repeat(2000),
  );
  if (data.length > 0 && !headers.has("content-type")) {
    headers.set("content-type", "application/x-www-form-urlencoded");
  }
  const response = await fetch(url!, {
    method: method ?? (data.length > 0 ? "POST" : "GET"),
    headers,
    body: data.length > 0 ? body : null,
  });
  const head = [
    `HTTP/1.1 ${response.status} ${response.statusText}`,
    ...[...response.headers].map((header) => header.join(": ")),
  ];
  const text = (await response.text()).trimEnd();
  return [...(showsHead ? head : []), text, ...text.split("\n")];
}

async function assertAnswers(
  heading: string,
  port: number,
  page = README,
): Promise<void> {
  for (const { args, shown } of callsUnder(heading, page)) {
    const printed = await curl(args, port);
    for (const line of shown) {
      assert(
        printed.includes(line),
        `curl ${args.join(" ")}\nshould print\n${line}\nbut prints\n${
          printed.join("\n")
        }`,
      );
    }
  }
}

Deno.test("the README's application answers as the README says", async () => {
  const port = freePort();
  await using folder = await TestFolder.create(FILES);
  await folder.write(
    "main.ts",
    FILES["main.ts"]!.replace("serve()", `serve({ port: ${port} })`),
  );
  await using process = new DenoProcess(folder.path, [
    "--allow-read",
    "--allow-net",
  ]);
  await process.printed("Listening");
  for (
    const heading of [
      "Start in a minute",
      "Validation",
      "Middleware",
      "Errors",
    ]
  ) {
    await assertAnswers(heading, port);
  }
});

Deno.test("the bookshop answers as the README says", async () => {
  const port = freePort();
  const shop = new URL("examples/bookshop/", ROOT);
  await using folder = await TestFolder.create({
    "main.ts": `import { app } from "${new URL("main.ts", shop)}";
await app.serve({ port: ${port} });`,
  });
  await using process = new DenoProcess(folder.path, [
    "--allow-read",
    "--allow-net",
  ]);
  await process.printed("Listening");
  await assertAnswers("Try the bookshop", port);
  // In this order: the answers are those of a shop just started.
  const page = await Deno.readTextFile(new URL("README.md", shop));
  await assertAnswers("Try it", port, page);
});

Deno.test("the README's snippets pass the type checker, its test passes", async () => {
  await using folder = await TestFolder.create(FILES);
  const config = fromFileUrl(new URL("deno.json", ROOT));
  for (
    const args of [
      ["check", "--config", config, ...Object.keys(FILES)],
      ["test", "--config", config, "--allow-read", "users_test.ts"],
    ]
  ) {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args,
      cwd: folder.path,
    }).output();
    const text = new TextDecoder().decode(
      new Uint8Array([...stdout, ...stderr]),
    );
    assertEquals(code, 0, text);
  }
});

Deno.test("the README names only tasks that there are", async () => {
  const { tasks } = JSON.parse(
    await Deno.readTextFile(new URL("deno.json", ROOT)),
  );
  for (const [, name] of README.matchAll(/\btask ([a-z:]+)/g)) {
    assert(name! in tasks, name);
  }
  const run = await Deno.readTextFile(new URL(".ci/run", ROOT));
  assert(run.includes("npx -y deno@2.9.6 task test"));
});

Deno.test("the README links only to files that there are", async () => {
  for (const [, link] of README.matchAll(/\]\(\.\/([^)#]+)/g)) {
    await Deno.stat(new URL(link!, ROOT));
  }
});
