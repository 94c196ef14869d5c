/** A request as a command, and as code. */
import { assert, assertEquals } from "@std/assert";
import {
  curlOf,
  type RequestPlan,
  requestText,
  type Strings,
} from "../../src/testing/plan.ts";

const GET: RequestPlan = { method: "GET", target: "/a?b=1", headers: {} };
const LONG = `"${"x".repeat(100)}${" ".repeat(120)}y"`;

const NAMES: Readonly<Record<string, readonly string[]>> = {
  as: ["x-key", "authorization"],
  alice: ["authorization"],
  "team-b": ["cookie"],
};

/** Plans as commands, without \`curl -i\` and the URL, and as code. */
const CASES: readonly (readonly [Partial<RequestPlan>, string, string])[] = [
  [{}, "", ""],
  [{ method: "HEAD" }, "--head", '{ method: "HEAD" }'],
  [{ method: "PUT" }, "-X PUT", '{ method: "PUT" }'],
  [
    { headers: { a: "b'c", d: "e" } },
    `-H 'a: b'\\''c' -H 'd: e'`,
    `{ headers: { "a": "b'c", "d": "e" } }`,
  ],
  [
    { headers: { a: "b" }, as: "as" },
    `-H 'a: b' -H "x-key: $X_KEY" -H "authorization: $AUTHORIZATION"`,
    `{ headers: { ...as, "a": "b" } }`,
  ],
  [
    { as: "alice" },
    `-H "authorization: $ALICE_AUTHORIZATION"`,
    "{ headers: { ...as.alice } }",
  ],
  [
    { as: "team-b", headers: { a: "b" } },
    `-H 'a: b' -H "cookie: $TEAM_B_COOKIE"`,
    '{ headers: { ...as["team-b"], "a": "b" } }',
  ],
  [
    { method: "POST", body: "" },
    "-X POST --data-raw ''",
    '{ method: "POST", body: "" }',
  ],
  [
    { method: "POST", body: '{"a":1}' },
    `-X POST --data-raw '{"a":1}'`,
    `{ method: "POST", body: "{\\"a\\":1}" }`,
  ],
  [
    { method: "POST", body: "'\\\r\n\x7f\x80" },
    `-X POST --data-raw $'\\'\\\\\\u000d\\u000a\\u007f\\u0080'`,
    `{ method: "POST", body: "'\\\\\\r\\n\x7f\x80" }`,
  ],
  [
    { method: "POST", body: LONG },
    `-X POST --data-raw '"'"$(printf '%100s' | tr ' ' x)""$(printf '%120s')"'y"'`,
    `{ method: "POST", body: "\\"" + "x".repeat(100) + " ".repeat(120) + "y\\"" }`,
  ],
  [
    { method: "POST", body: "x".repeat(99) },
    `-X POST --data-raw '${"x".repeat(99)}'`,
    `{ method: "POST", body: "${"x".repeat(99)}" }`,
  ],
];

for (const [plan, command, init] of CASES) {
  Deno.test(`a request is printed as curl -i ${command.slice(0, 60)}`, async () => {
    const all = { ...GET, ...plan };
    const curl = curlOf(all, {
      origin: "http://h",
      names: NAMES[all.as!] ?? [],
    });
    assertEquals(
      curl,
      ["curl -i", command, "'http://h/a?b=1'"].filter(Boolean).join(" "),
    );
    for (const url of ['"http://localhost/a?b=1"', "location"]) {
      assertEquals(
        requestText(all, url),
        `new Request(${[url, init].filter(Boolean).join(", ")})`,
      );
    }
    assertEquals(requestText(GET), 'new Request("http://localhost/a?b=1")');
    // The code makes the request that was sent.
    const own: Record<string, Strings> = {
      as: { "x-key": "k", authorization: "t", a: "z" },
      alice: { authorization: "t" },
      "team-b": { cookie: "t=1" },
    };
    const as = all.as === "as" ? own.as : own;
    const made: Request = new Function("as", `return ${requestText(all)}`)(as);
    assertEquals([made.method, await made.text()], [
      all.method,
      all.body ?? "",
    ]);
    for (const name of NAMES[all.as!] ?? []) {
      assertEquals(made.headers.get(name), own[all.as!]![name]);
    }
  });
}

Deno.test({
  name: "a shell reads the body of a command as it was sent",
  ignore: Deno.build.os === "windows",
  async fn() {
    for (const [{ body }] of CASES) {
      if (body === undefined) continue;
      const plan = { ...GET, method: "POST", body };
      const [, words] = curlOf(plan, { origin: "" }).split(" --data-raw ");
      const script = `printf %s ${words!.replace(" '/a?b=1'", "")}`;
      const shell = new Deno.Command("bash", { args: ["-c", script] });
      const { stdout } = await shell.output();
      assertEquals(new TextDecoder().decode(stdout), body);
    }
  },
});

Deno.test("a body of 10 MB has a command and a source text", () => {
  const varied = Array.from({ length: 10_000 }, (_, each) => `${each},`)
    .join("").repeat(50);
  for (const body of ["x".repeat(10_000_000), varied, `${varied}${LONG}`]) {
    const plan = { ...GET, method: "POST", body };
    assert(curlOf(plan, { origin: "" }).startsWith("curl -i -X POST"));
    const made: Request = new Function(`return ${requestText(plan)}`)();
    assertEquals(made.headers.get("content-type"), "text/plain;charset=UTF-8");
  }
});
