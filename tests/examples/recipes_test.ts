/** Each recipe starts and works with the permissions that it names, and no more. */
import { walk } from "@std/fs/walk";
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join, relative } from "@std/path";
import { boughIn } from "../cli/support.ts";
import { TestFolder } from "../support/application.ts";
import { anchorOf, Page } from "../support/pages.ts";
import { DenoProcess, freePort } from "../support/process.ts";

const RECIPES = fromFileUrl(
  new URL("../../examples/recipes/", import.meta.url),
);
const FRAMEWORK = fromFileUrl(new URL("../../src/", import.meta.url));
const NAMES = [...Deno.readDirSync(RECIPES)].map(({ name }) => name).sort();
const PAGES = await Page.all();
const PAGE = PAGES.find(({ path }) => path === "src/guide/recipes.md")!;

/** The environment variables of the recipes. */
const ENV = {
  WEBHOOK_SECRET: "whsec_c2VjcmV0",
  MAIL_URL: "http://127.0.0.1:1",
  USERNAME: "hono",
  PASSWORD: "acoolproject",
  JWT_SECRET: "0123456789abcdef0123456789abcdef",
};

/** A request that needs all permissions of its recipe, and its status. */
const CALLS: Readonly<
  Record<string, readonly [path: string, status: number, init?: RequestInit]>
> = {
  background: ["api/orders", 201, json({ email: "ada@example.com" })],
  changes: ["api/notes/1", 404],
  cors: ["api/news", 200],
  from_fastapi: ["users/me", 401],
  from_hono: ["api/posts", 200],
  idempotency: ["api/payments", 200],
  pagination: ["api/books?limit=2", 200],
  rate_limit: ["api/time", 200],
  redirects: ["api/todos/1", 308],
  roles: ["api/articles", 200],
  sessions: ["api/session", 403, json({ user: "ada", password: "x" })],
  static_files: ["style.css", 200],
  uploads: ["api/files", 201, {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: "x",
  }],
  webhooks: ["api/webhooks/payments", 400, json({})],
};

function json(value: unknown): RequestInit {
  const headers = { "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(value) };
}

/** The permissions in the first lines of a recipe. */
async function permissionsOf(name: string): Promise<string[]> {
  const text = await Deno.readTextFile(join(RECIPES, name, "main.ts"));
  const command = /^ \* `deno run (.*) main\.ts`$/m.exec(text)?.[1];
  assert(
    command,
    `examples/recipes/${name}/main.ts has no command in its first lines`,
  );
  return command.split(" ");
}

/** The target of the table of recipes: a section, or another page. */
function targetOf(name: string): string {
  const link = `](../../examples/recipes/${name}/)`;
  const section = PAGE.text.split(/^## /m).find((text) => text.includes(link));
  if (section !== undefined) {
    return `#${anchorOf(section.slice(0, section.indexOf("\n")))}`;
  }
  const page = PAGES.find(({ path, text }) =>
    path.startsWith("src/guide/") && text.includes(link)
  );
  assert(page, `No page shows the recipe ${name}`);
  return page.path.replace("src/guide/", "./");
}

Deno.test("every recipe has a call here, and a page that shows it", () => {
  assertEquals(NAMES, Object.keys(CALLS).sort());
  for (const name of NAMES) targetOf(name);
});

for (const name of NAMES) {
  Deno.test(`the recipe ${name} works with its permissions`, async () => {
    const permissions = await permissionsOf(name);
    await using folder = await TestFolder.create({});
    const source = join(RECIPES, name);
    for await (const { path } of walk(source, { includeDirs: false })) {
      const content = await Deno.readTextFile(path);
      await folder.write(relative(source, path), content);
    }
    const port = freePort();
    // Routes import the local files of Bough.
    const flags = permissions.map((flag) =>
      flag.replace("--allow-read=.", `--allow-read=.,${FRAMEWORK}`)
    );
    await using process = new DenoProcess(folder.path, flags, "main.ts", {
      env: { ...ENV, PORT: String(port), HOST: "127.0.0.1" },
    });
    await process.printed("Listening");
    const [path, status, init] = CALLS[name]!;
    const url = `http://127.0.0.1:${port}/${path}`;
    const response = await fetch(url, { redirect: "manual", ...init });
    await response.body?.cancel();
    assertEquals(response.status, status, process.output);
  });
}

Deno.test("the page names the permissions of the recipes", async () => {
  for (const name of NAMES) {
    // The page names these permissions of all recipes once.
    const further = (await permissionsOf(name)).map((flag) =>
      flag.replace(/^--allow-(?:read=\.|net|env=PORT,HOST)$/, "")
        .replace("=PORT,HOST,", "=")
    ).filter((flag) => flag !== "");
    const target = targetOf(name);
    const row = PAGE.text.split("\n")
      .find((line) => line.startsWith("|") && line.includes(`](${target})`));
    const cell = row?.split("|").at(-2)?.trim();
    const expected = further.map((flag) => `\`${flag}\``).join(" ");
    assertEquals(cell, expected, name);
  }
});

Deno.test("bough check finds nothing in the recipes", async () => {
  for (const name of NAMES) {
    const main = join(RECIPES, name, "main.ts");
    const folder = join(RECIPES, name);
    const { code, stdout, stderr } = await boughIn(folder, "check", main);
    assertEquals(code, 0, stdout + stderr);
  }
});
