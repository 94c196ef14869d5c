import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import {
  bough,
  boughIn,
  call,
  type CommandOutcome,
  findingsIn,
} from "./support.ts";

const GET = "export const GET = () => new Response('x');";
const GUARD = "export default (_, next) => next();";
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
      "api/middleware.ts": GUARD,
    });
    const names = HOSTILE.map((text) =>
      `${text}forged`.replaceAll(/[\[\]]/g, "")
    );
    const add = (path: string, code = GET) => folder.write(`api/${path}`, code);
    for (const [index, name] of names.entries()) {
      await add(`n${index}/routes ${name}.ts`, "");
      if (name.startsWith("\n")) continue;
      await add(`${name}/route.ts`);
      await add(`${name}/[...]/route.ts`);
      await add(`${name}/middleware.ts`, GUARD);
      await add(`${name}/{${name}}/route.ts`);
    }
    const run = async (line: string, ...last: string[]) => {
      const outcome = await call(folder, line, ...last);
      assertPlain(outcome);
      return outcome;
    };
    await run("check --json");
    await run("build --lazy");
    await run("routes --match", "GET /api/%9B31mforged");
    const { stdout } = await run("routes");
    assertStringIncludes(stdout, "/api/\\u009b31mforged");
    const json = await run("routes --json");
    const listed: { path: string }[] = JSON.parse(json.stdout);
    assert(listed.some(({ path }) => path === "/api/\x9b31mforged"));
    assertEquals((await run("check")).code, 1);
    const build = await run("build");
    assertEquals(build.code, 0);
    assertStringIncludes(build.stdout, '"\\u009b31mforged/route.ts":');
    const { paths } = JSON.parse((await run("openapi")).stdout);
    assert("/api/%C2%9B31mforged" in paths);

    // Errors that prevent startup are plain, too.
    for (const [index, name] of names.entries()) {
      await add(`${name}(/route.ts`);
      await add(`b${index}/${name}\t/route.ts`);
      await add(`${name}/same/route.ts`);
      await add(`(g)/${name}/same/route.ts`);
      await folder.link({
        [`api/away ${name}`]: "../..",
        [`api/n${index}/gone ${name}`]: `nowhere ${name}`,
        [`api/(g)/${name}/middleware.ts`]: `nowhere ${name}`,
      });
      await add(`${name}/Middleware.ts`);
      await add(`${name}/bad/route.ts`, "const =");
    }
    for (
      const line of ["routes", "check", "build", "openapi", "check --json"]
    ) {
      assertEquals((await run(line)).code, 1, line);
    }
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
        const [line, last] of [
          ["routes --match", `GET /api/users/${hostile}`],
          ["routes --json --match", `GET /api/users/${hostile}`],
          ["routes --match", `GET /api/users/${encoded}`],
          ["routes --match", `GET /api/users/${encoded}/more`],
          ["routes --match", `GET /api/files/a/${encoded}`],
          ["routes --json --match", `GET /api/files/${encoded}`],
          ["routes --match", hostile],
          ["routes", `--prefix=${hostile}`],
          ["routes", hostile],
          ["check", hostile],
          ["build --check -o", `${hostile}.ts`],
          ["new api", hostile],
          ["new", `api/../${hostile}`],
          ["routes", `--${hostile}`],
        ] as const
      ) {
        const outcome = await call(folder, line, last);
        assertPlain(outcome);
        assert(outcome.stdout + outcome.stderr !== "", `${line} ${last}`);
      }
      assertPlain(await boughIn(folder.path, hostile));
    }
    // A separate process prints the same.
    assertPlain(await bough(folder.path, "routes", HOSTILE.join("forged")));
  },
});

Deno.test({
  name: "commands find files whose names are escaped in messages",
  ignore,
  async fn() {
    const findings = await findingsIn({
      "api/\u202eevil/route.ts": `export const GET = () => new Response();
        export const schema = { get: { security: [{ key: [] }] } };`,
    });
    assertEquals(findings.map(({ path, rule }) => [path, rule]), [
      ["api/\\u202eevil/route.ts", "unguarded"],
    ]);
  },
});
