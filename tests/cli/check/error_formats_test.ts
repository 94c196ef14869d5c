import { assertEquals } from "@std/assert";
import { TestFolder } from "../../support/application.ts";
import { boughIn } from "../support.ts";

const PACKAGE = new URL("../../../mod.ts", import.meta.url).href;

/** The source of a module that exports a format as `errors`. */
const format = (members: string) =>
  `import { errorFormat } from ${JSON.stringify(PACKAGE)};
  import { z } from "npm:zod@^4.2.0";
  export const errors = errorFormat({
    contentType: "application/json",
    schema: z.object({ message: z.string() }),
    ${members}
  });`;

/** The findings of `bough check` for the formats of an application and of a folder. */
async function findings(option: string, folder: string): Promise<unknown[]> {
  await using files = await TestFolder.create({
    "api/old/middleware.ts": format(folder),
    "api/old/route.ts": "export const GET = () => new Response();",
    "app.ts": `import { Framework } from ${JSON.stringify(PACKAGE)};
      ${format(option)}
      export const app = new Framework({
        apiDir: new URL("./api", import.meta.url), errors,
      });`,
  });
  const { stdout } = await boughIn(files.path, "check", "app.ts", "--json");
  return JSON.parse(stdout).map(
    ({ rule, ...found }: Record<string, string>) => {
      assertEquals(rule, "error-format");
      return [found.level, found.path, found.message];
    },
  );
}

Deno.test("bough check warns of formats whose bodies do not match their schemas", async () => {
  const good = "format: ({ detail, title }) => ({ message: detail ?? title }),";
  assertEquals(await findings(good, good), []);
  assertEquals(
    await findings(
      "format: ({ detail }) => ({ message: detail }),",
      `invalid: 422,
       format: ({ title, issues }) =>
         issues.length > 0 ? { message: title, issues } : { message: title },`,
    ),
    [
      [
        "warning",
        "api/old/middleware.ts",
        'errors.format() makes a body that does not fit errors.schema: at "#/issues" is undeclared; declare it, or do not send it (status 422)',
      ],
      [
        "warning",
        "option errors",
        'errors.format() makes a body that does not fit errors.schema: at "#/message" Invalid input: expected string, received undefined (status 403, 404, 405, 408, 413, 415, 426, 500, 501, 503)',
      ],
    ],
  );
});

Deno.test("bough check warns of formats that fail", async () => {
  const good = "format: ({ title }) => ({ message: title }),";
  assertEquals(
    await findings(
      "format: ({ status, issues }) => ({ message: status < 500 ? issues[0].detail : '' }),",
      good,
    ),
    [[
      "warning",
      "option errors",
      "errors.format() fails: Cannot read properties of undefined (reading 'detail') (status 400, 403, 404, 405, 408, 413, 415, 426)",
    ]],
  );
  assertEquals(
    await findings("format: () => undefined,", good).then((all) => all.length),
    1,
  );
});
