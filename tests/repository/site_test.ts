/** The pages of the site, their links, and the code of its front page. */
import { assert, assertEquals } from "@std/assert";
import {
  FRONT_PAGE,
  GROUPS,
  linkOnSite,
  nameOf,
  REPOSITORY,
} from "../../tools/site/pages.ts";
import { modelFiles } from "../../tools/site/models.ts";
import config from "../../deno.json" with { type: "json" };
import { TestFolder } from "../support/application.ts";
import { Page } from "../support/pages.ts";
import { DenoProcess, freePort } from "../support/process.ts";

const PAGES = await Page.all();
const ON_SITE = PAGES.filter(({ path }) => nameOf(path) !== undefined);

Deno.test("the site lists every page once", () => {
  assertEquals(
    [FRONT_PAGE, ...Object.values(GROUPS).flat()].toSorted(),
    ON_SITE.map(({ path }) => path).toSorted(),
  );
});

Deno.test("a link leads to a page of the site, or to a file at the tag of the version", async () => {
  const files = `${REPOSITORY}/blob/v${config.version}/`;
  const pages = new Map(ON_SITE.map((page) => [`/${nameOf(page.path)}`, page]));
  let count = 0;
  for (const { path, url, links } of ON_SITE) {
    for (const link of links) {
      const found = linkOnSite(path, link);
      if (/^[a-z]+:/.test(link)) {
        assertEquals(found, link, path);
        continue;
      }
      const [target, anchor] = found.split("#");
      const page = link.startsWith("#") ? { path, url } : pages.get(target!);
      const inRepository = new URL(link, url);
      if (anchor !== undefined) assertEquals(inRepository.hash, `#${anchor}`);
      inRepository.hash = "";
      if (page === undefined) {
        assert(found.startsWith(files), `${path}: ${link}: ${found}`);
        const file = new URL(
          `../../${target!.slice(files.length)}`,
          import.meta.url,
        );
        assertEquals(file.href, inRepository.href, `${path}: ${link}`);
        await Deno.stat(file);
      } else assertEquals(page.url.href, inRepository.href, `${path}: ${link}`);
      count++;
    }
  }
  assert(count > 500, `only ${count} links`);
});

Deno.test("llms.txt lists the pages, and their links lead to pages for models", () => {
  const files = modelFiles("/bough/");
  const { "llms.txt": list, "llms-full.txt": full, ...pages } = files;
  const lines = list!.split("\n");
  assertEquals(lines[0], "# Bough");
  assert(lines[2]!.startsWith("> Bough serves a folder of route files"), list);
  const groups = Object.entries(GROUPS).flatMap(([group, paths]) => [
    `## ${group}`,
    ...paths.map((path) => `/bough/${nameOf(path)}.md`),
  ]);
  const listed = lines.filter((line) => /^(?:##|-) /.test(line))
    .map((line) => /^- \[[^\]]+\]\(([^)]+)\): ./.exec(line)?.[1] ?? line);
  assertEquals(listed, groups);
  let count = 0;
  for (const [name, text] of Object.entries(pages)) {
    assert(full!.includes(text!), name);
    for (const [, link] of text!.matchAll(/\]\((\/[^)#]*)/g)) {
      assert(link!.slice("/bough/".length) in pages, `${name}: ${link}`);
      count++;
    }
  }
  assert(count > 400, `only ${count} links`);
});

Deno.test("the client, the documentation and the test of the front page work", async () => {
  const { files } = PAGES.find(({ path }) => path === FRONT_PAGE)!;
  const port = freePort();
  await using folder = await TestFolder.create({
    ...files,
    "main.ts": files["main.ts"]!.replace("serve()", `serve({ port: ${port} })`),
    "client.ts": files["client.ts"]!.replace(":8000", `:${port}`),
  });
  await using _ = await DenoProcess.listening(folder.path);
  const client = new DenoProcess(folder.path, ["--allow-net"], "client.ts");
  assertEquals(await client.outcome(), { code: 0, output: "1\n" });
  const docs = await fetch(`http://localhost:${port}/docs`);
  assertEquals(docs.headers.get("content-type"), "text/html; charset=utf-8");
  await docs.body?.cancel();
  const document = await fetch(`http://localhost:${port}/openapi.json`);
  const { paths } = await document.json();
  assertEquals(paths["/api/books"].post.description, "Add a book to the shop");
  const flags = ["--allow-read"];
  const options = { command: "test" } as const;
  const test = new DenoProcess(folder.path, flags, "contract_test.ts", options);
  const { code, output } = await test.outcome();
  assertEquals(code, 0, output);
  assert(/[1-9]\d* passed/.test(output), output);
});
