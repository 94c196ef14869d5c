/** The contract tests of the recipe of roles find the faults that its page names. */
import { checkContracts } from "@bough/framework/testing";
import { walk } from "@std/fs/walk";
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, relative, toFileUrl } from "@std/path";
import { TestFolder } from "../support/application.ts";

const RECIPE = fromFileUrl(
  new URL("../../examples/recipes/roles/", import.meta.url),
);
const PAGE = await Deno.readTextFile(
  new URL("../../src/guide/authentication.md", import.meta.url),
);
const ROUTE = "api/articles/[id]/route.ts";

/** The failures of a copy of the recipe with one replaced string. */
async function failuresOf(
  file: string,
  [text, replacement]: readonly [text: string, replacement: string],
): Promise<string[]> {
  await using folder = await TestFolder.create({});
  for await (const { path } of walk(RECIPE, { includeDirs: false })) {
    const name = relative(RECIPE, path);
    const content = await Deno.readTextFile(path);
    if (name === file) assert(content.includes(text), text);
    const changed = name === file
      ? content.replace(text, () => replacement)
      : content;
    await folder.write(name, changed);
  }
  const load = (name: string) => import(`${toFileUrl(folder.path)}/${name}`);
  const [{ app }, { articles }, { createToken, setSecret }] = await Promise.all(
    [load("main.ts"), load("articles.ts"), load("user.ts")],
  );
  setSecret("0123456789abcdef0123456789abcdef");
  const logIn = (name: string, role: string) => async () => ({
    authorization: `Bearer ${await createToken(name, role)}`,
  });
  const { failures } = await checkContracts(app, {
    as: {
      ada: logIn("ada", "author"),
      bob: logIn("bob", "author"),
      moderator: logIn("max", "moderator"),
    },
    reset: () => articles.clear(),
    properties: ["access"],
    seed: 1,
    runs: 20,
  });
  return failures.map(({ expected }) => `expected: ${expected}`);
}

for (const replacement of ["false", "author !== name"]) {
  Deno.test(`contract tests find an owner check that is only "${replacement}"`, async () => {
    const check = 'author !== name && !scopes.includes("moderate")';
    const [failure, ...others] = await failuresOf(ROUTE, [check, replacement]);
    assertEquals(others, []);
    assert(failure && PAGE.includes(`\n${failure}\n`), failure);
  });
}

Deno.test("contract tests find a guard that checks no scopes", async () => {
  const check = "!scopes.every(";
  const failures = await failuresOf("api/middleware.ts", [
    check,
    `false && ${check}`,
  ]);
  assertEquals(failures, [
    'expected: a rejection of "ada", since the access is moderator',
  ]);
});
