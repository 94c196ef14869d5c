/** The official conformance suite, which npm provides. */
import { assert, assertEquals } from "@std/assert";
import { HttpError } from "@bough/framework";
import { TestFolder } from "../support/application.ts";
import { create, type Files } from "./support.ts";

const SUITE = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";

/** The tools that the scenarios name. */
const FILES: Files = {
  "text/route.ts": {
    schema: {
      get: { description: "Returns a text", mcp: { name: "test_simple_text" } },
    },
    GET: () => new Response("This is a simple text response for testing."),
  },
  "error/route.ts": {
    schema: {
      post: { description: "Fails", mcp: { name: "test_error_handling" } },
    },
    POST: () => {
      throw new HttpError(
        409,
        "This tool intentionally returns an error for testing",
      );
    },
  },
};

/** Scenarios that must pass for both revisions. */
const BOTH = [
  "tools-list",
  "tools-call-simple-text",
  "tools-call-error",
  "dns-rebinding-protection",
];
const PASSED: Readonly<Record<string, readonly string[]>> = {
  "2026-07-28": [...BOTH, "http-header-validation"],
  "2025-11-25": [...BOTH, "server-initialize", "ping"],
};

/** The reason why a scenario need not pass, by the beginning of its name. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(?:resources|prompts|sep-2164|completion|logging)-/, "only tools exist"],
  [/^caching$/, "tools/list passes; the other lists do not exist"],
  [/^tools-call-(?:image|audio|embedded|mixed)/, "a file is not a result"],
  [
    /^tools-call-(?:with-progress|with-logging|sampling|elicitation)$/,
    "a route responds once, and asks the client for nothing",
  ],
  [/^(?:elicitation|input-required)-/, "a route asks the client for nothing"],
  [/^tasks-/, "an extension: a call is one request"],
  [
    /^server-stateless$/,
    "four of its checks need diagnostic tools that ask the client or log to it",
  ],
  [/^server-(?:sse|session)-/, "the server is stateless"],
  [/^json-schema-2020-12$/, "its tool has keywords that no library generates"],
  [/^http-custom-header/, "no tool copies arguments into headers"],
];

for (const [revision, required] of Object.entries(PASSED)) {
  Deno.test(`the scenarios of the conformance suite for tools pass (${revision})`, async () => {
    await using server = await create(FILES).serve();
    await using folder = await TestFolder.create({});
    const url = `http://localhost:${server.port}/mcp`;
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-config", SUITE, "server", "--url", url]
        .concat("--requirements", revision, "-o", folder.path),
      cwd: folder.path,
      env: { NO_COLOR: "1" },
    }).output();
    const text = new TextDecoder().decode(stdout);
    const results = [...text.matchAll(/^([✓✗]) ([\w-]+): \d+ passed/gm)];
    assert(results.length > 30, text + new TextDecoder().decode(stderr));
    const passed = results.flatMap(([, sign, name]) =>
      sign === "✓" ? [name!] : []
    );
    assertEquals(required.filter((name) => !passed.includes(name)), []);
    const unexplained = results.map(([, , name]) => name!).filter((name) =>
      !passed.includes(name) && !REASONS.some(([each]) => each.test(name))
    );
    assertEquals(unexplained, []);
  });
}

Deno.test("the stateless scenario lacks only diagnostic tools", async () => {
  await using server = await create(FILES).serve();
  await using folder = await TestFolder.create({});
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-config", SUITE, "server", "--scenario"]
      .concat("server-stateless", "--spec-version", "2026-07-28")
      .concat("--url", `http://localhost:${server.port}/mcp`)
      .concat("-o", folder.path),
    cwd: folder.path,
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder().decode(stdout);
  const [result] = [...Deno.readDirSync(folder.path)]
    .filter(({ name }) => name.startsWith("server-"));
  const checks = JSON.parse(
    await Deno.readTextFile(`${folder.path}/${result!.name}/checks.json`),
  ) as { status: string; errorMessage?: string }[];
  const failed = checks.filter(({ status }) => status === "FAILURE");
  assertEquals(failed.length, 4, text);
  for (const { errorMessage = "" } of failed) {
    assert(errorMessage.startsWith("Not testable: "), errorMessage);
  }
});
