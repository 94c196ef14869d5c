import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { bough, boughIn, type CommandOutcome } from "./support.ts";

const GET = "export const GET = () => new Response('x');";
const ignore = Deno.build.os === "windows";

/** Names that control a terminal or break a line, one of each kind. */
const HOSTILE = [
  "\x1b]0;title\x07",
  "\x9b31m",
  "\x08\x7f",
  "\u2028\u2029",
  "\u202e\u2066\u200f",
  "\n",
];

/** Asserts that a command printed no control characters but its own line breaks. */
function assertPlain({ stdout, stderr }: CommandOutcome): void {
  for (const text of [stdout, stderr]) {
    const found = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/u.exec(text);
    assertEquals(found?.[0], undefined, JSON.stringify(text));
    assert(!/^forged/m.test(text), text);
  }
}

Deno.test({
  name: "names of files and folders cannot control a terminal or forge a line",
  ignore,
  async fn() {
    await using folder = await TestFolder.create({
      "api/middleware.ts": "export default (_, next) => next();",
    });
    for (const [index, text] of HOSTILE.entries()) {
      const name = `${text}forged`.replaceAll("[", "").replaceAll("]", "");
      const add = (path: string, code = GET) =>
        folder.write(join("api", path), code);
      await add(join(`n${index}`, `routes ${name}.ts`), "");
      if (text === "\n") continue;
      await add(join(name, "route.ts"));
      await add(join(name, "[...]", "route.ts"));
      await add(join(name, "middleware.ts"), "export default (_, n) => n();");
      await add(join(name, `{${name}}`, "route.ts"));
    }
    const outcomes = [
      await boughIn(folder.path, "routes"),
      await boughIn(folder.path, "routes", "--json"),
      await boughIn(folder.path, "check"),
      await boughIn(folder.path, "check", "--json"),
      await boughIn(folder.path, "build"),
      await boughIn(folder.path, "build", "--lazy"),
      await boughIn(folder.path, "openapi"),
      await boughIn(folder.path, "routes", "--match", "GET /api/%9B31mforged"),
    ];
    for (const outcome of outcomes) assertPlain(outcome);
    assertStringIncludes(outcomes[0]!.stdout, "/api/\\u009b31mforged");
    const listed: { path: string }[] = JSON.parse(outcomes[1]!.stdout);
    assert(listed.some(({ path }) => path === "/api/\x9b31mforged"));
    assertEquals(outcomes[2]!.code, 1);
    assertEquals(outcomes[4]!.code, 0);
    assertStringIncludes(outcomes[4]!.stdout, '"\\u009b31mforged/route.ts":');
    const document = JSON.parse(outcomes[6]!.stdout);
    assert("/api/%C2%9B31mforged" in document.paths);

    // Errors that prevent startup are plain, too.
    for (const [index, text] of HOSTILE.entries()) {
      const name = `${text}forged`.replaceAll("[", "").replaceAll("]", "");
      await folder.write(join("api", `${name}(`, "route.ts"), GET);
      await folder.write(
        join("api", `b${index}`, `${name}\t`, "route.ts"),
        GET,
      );
      await folder.write(join("api", name, "same", "route.ts"), GET);
      await folder.write(join("api", "(g)", name, "same", "route.ts"), GET);
      await folder.link({
        [join("api", `away ${name}`)]: "../..",
        [join("api", `n${index}`, `gone ${name}`)]: `nowhere ${name}`,
        [join("api", "(g)", name, "middleware.ts")]: `nowhere ${name}`,
      });
      await folder.write(join("api", name, "Middleware.ts"), GET);
      await folder.write(join("api", name, "bad", "route.ts"), "const =");
    }
    for (const name of ["routes", "check", "build", "openapi"]) {
      const outcome = await boughIn(folder.path, name);
      assertEquals(outcome.code, 1);
      assertPlain(outcome);
    }
    assertPlain(await boughIn(folder.path, "check", "--json"));
  },
});

Deno.test({
  name: "arguments cannot control a terminal or forge a line",
  ignore,
  async fn() {
    await using folder = await TestFolder.create({
      "api/users/[id]/route.ts": GET,
      "api/files/[...]/route.ts": GET,
    });
    for (const text of HOSTILE) {
      const hostile = `${text}forged`;
      const encoded = encodeURIComponent(hostile);
      for (
        const args of [
          ["routes", "--match", `GET /api/users/${hostile}`],
          ["routes", "--match", `GET /api/users/${hostile}`, "--json"],
          ["routes", "--match", `GET /api/users/${encoded}`],
          ["routes", "--match", `GET /api/users/${encoded}/more`],
          ["routes", "--match", `GET /api/files/a/${encoded}`],
          ["routes", "--match", `GET /api/files/${encoded}`, "--json"],
          ["routes", "--match", hostile],
          ["routes", `--prefix=${hostile}`],
          ["routes", hostile],
          ["check", hostile],
          ["build", "-o", `${hostile}.ts`, "--check"],
          ["new", "api", hostile],
          ["new", `api/../${hostile}`],
          [hostile],
          ["routes", `--${hostile}`],
        ]
      ) {
        const outcome = await boughIn(folder.path, ...args);
        assertPlain(outcome);
        assert(outcome.stdout + outcome.stderr !== "", args.join(" "));
      }
    }
    // A separate process prints the same.
    assertPlain(await bough(folder.path, "routes", HOSTILE.join("forged")));
  },
});

Deno.test({
  name: "commands find files whose names are escaped in messages",
  ignore,
  async fn() {
    const path = "api/\u202eevil/route.ts";
    const shown = "api/\\u202eevil/route.ts";
    await using folder = await TestFolder.create({
      [path]: `export const GET = () => new Response();
        export const schema = { get: { security: [{ key: [] }] } };`,
    });
    const check = await boughIn(folder.path, "check", "--json");
    const found = JSON.parse(check.stdout) as { path: string; rule: string }[];
    assertEquals(found.map(({ path, rule }) => [path, rule]), [
      [shown, "unguarded"],
    ]);
  },
});
