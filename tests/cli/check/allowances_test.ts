import { assertEquals } from "@std/assert";
import { Allowances } from "../../../src/cli/check/allowances.ts";
import { TestFolder } from "../../support/application.ts";
import { FakePermissions } from "../../support/permissions.ts";
import { boughIn } from "../support.ts";

const GET = "export const GET = () => new Response();";
const WIDE = `export const permissions = { write: true };\n${GET}`;
const REASON = "users choose the folder";
const FILE = "api/files/route.ts";

interface Found {
  readonly level: string;
  readonly rule: string;
  readonly path: string;
  readonly message: string;
}

/** The findings of `bough check` in a tree. */
async function check(
  files: Readonly<Record<string, string>>,
  ...options: readonly string[]
): Promise<Found[]> {
  await using folder = await TestFolder.create(files);
  const { stdout } = await boughIn(folder.path, "check", "--json", ...options);
  return JSON.parse(stdout);
}

/** The rules of the findings; of an allowance, its path and message. */
async function rulesOf(
  files: Readonly<Record<string, string>>,
  ...options: readonly string[]
): Promise<string[]> {
  const findings = await check(files, ...options);
  return findings.map(({ rule, path, message }) =>
    rule === "allowance" ? `${path}: ${message}` : rule
  );
}

Deno.test("a comment with a reason allows the warnings of a rule in its file", async () => {
  const allowed = `${WIDE} // bough-allow wide-permission: ${REASON}`;
  assertEquals(await rulesOf({ [FILE]: allowed }), []);
  // The comment applies only to its file.
  assertEquals(
    await rulesOf({ [FILE]: allowed, "api/other/route.ts": WIDE }),
    ["wide-permission"],
  );
  await using folder = await TestFolder.create({ [FILE]: allowed });
  const { code, stdout } = await boughIn(folder.path, "check");
  assertEquals(
    [code, stdout],
    [
      0,
      'Checked 1 route, 1 handler, 0 middleware files in "api": nothing found except 1 allowed warning',
    ],
  );
});

Deno.test("a comment in a route file allows warnings about its folder, and about the file", async () => {
  assertEquals(
    await rulesOf({
      "api/:id/route.ts":
        `// bough-allow folder-notation: the URL has a colon\n${GET}`,
      "api/routes.ts": "// bough-allow route-name: a list for the menu\n",
    }),
    [],
  );
});

Deno.test("the option --allow allows the warnings of rules in all files", async () => {
  const files = { [FILE]: WIDE, "api/:id/route.ts": GET };
  assertEquals(
    await rulesOf(
      files,
      "--allow=wide-permission",
      "--allow",
      "folder-notation",
    ),
    [],
  );
  assertEquals(
    await rulesOf(files, "--allow=wide-permission,folder-notation"),
    [],
  );
  assertEquals(await rulesOf(files, "--allow=folder-notation"), [
    "wide-permission",
  ]);
});

const FORM = "write: // bough-allow <rule>: <reason>";

Deno.test("an allowance without effect is a finding", async () => {
  for (
    const [comment, fault] of [
      ["bough-allow wide-permission", `gives no reason; ${FORM}`],
      ["bough-allow wide-permission:", `gives no reason; ${FORM}`],
      ["bough-allow", `names no rule; ${FORM}`],
      ["bough-allow : why", `names no rule; ${FORM}`],
      ["bough-allow wide-permission why", `names no rule; ${FORM}`],
      [
        "bough-allow exports: why",
        "names an error; fix the error, since only warnings can be allowed",
      ],
      ["bough-allow wildcards: why", "names an unknown rule; the rules"],
      [
        "bough-allow constructor: why",
        "names an unknown rule; the rules",
      ],
    ] as const
  ) {
    const found = await rulesOf({ [FILE]: `${WIDE}\n// ${comment}\n` });
    assertEquals(found.length, 2, comment);
    assertEquals(found[0], "wide-permission");
    assertEquals(
      found[1]!.slice(0, `${FILE}: "${comment}" ${fault}`.length),
      `${FILE}: "${comment}" ${fault}`,
    );
  }
  const unused = "matches no warning; remove it";
  assertEquals(
    await rulesOf({
      "api/a/route.ts": `// bough-allow wide-permission: why\n${GET}`,
      "api/middleware.ts":
        "// bough-allow skipped: why\nexport default (_, next) => next();",
    }, "--allow=document"),
    [
      `the command: "--allow=document" ${unused}`,
      `api/a/route.ts: "bough-allow wide-permission: why" ${unused}`,
      `api/middleware.ts: "bough-allow skipped: why" ${unused}`,
    ],
  );
  const [unknown] = await rulesOf({ "api/route.ts": GET }, "--allow=nope");
  assertEquals(
    unknown!.split(";")[0],
    'the command: "--allow=nope" names an unknown rule',
  );
});

Deno.test("errors cannot be allowed, and hide unused allowances", async () => {
  assertEquals(
    await rulesOf({
      "api/a/route.ts": `// bough-allow document: why\n${GET}`,
      "api/b/route.ts": "export const get = () => {};",
    }, "--allow=skipped"),
    ["exports"],
  );
});

Deno.test("the check reads no file for which Deno would prompt", async () => {
  await using folder = await TestFolder.create({
    "route.ts": "// bough-allow",
  });
  const faults = () =>
    new Allowances([], undefined).faults([`${folder.path}/route.ts`], true);
  assertEquals(faults().length, 1);
  using _permissions = new FakePermissions([]);
  assertEquals(faults(), []);
});
