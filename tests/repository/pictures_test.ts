/** The pictures of the pages, which `deno task pictures` makes, and their alternative texts. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Page } from "../support/pages.ts";

const FOLDER = new URL("../../src/guide/pictures/", import.meta.url);
const USES = (await Page.all()).flatMap(({ path, url, pictures }) =>
  pictures.map(({ source, alt }) => ({
    path,
    source,
    alt,
    target: new URL(source, url),
  }))
);

Deno.test("a picture is on some page, and a page shows only pictures that exist", async () => {
  const files = await Array.fromAsync(Deno.readDir(FOLDER));
  assert(files.length > 0);
  assertEquals(
    [...new Set(USES.map(({ target }) => target.href))].toSorted(),
    files.map(({ name }) => new URL(name, FOLDER).href).toSorted(),
  );
});

Deno.test("the alternative text of a picture says what it shows", () => {
  const texts = new Map<string, string>();
  for (const { path, source, alt, target } of USES) {
    assertMatch(alt, /^[A-Z].{40,250}[^.]$/, `${path}: ${source}`);
    // A picture on two pages shows the same.
    assertEquals(texts.get(target.href) ?? alt, alt);
    texts.set(target.href, alt);
  }
});

// For a relative link of the README that ends like this, the registry shows the file of
// the repository. So the same link works there, in the repository and in the package.
Deno.test("a picture is small, and of a format that the registry links to", async () => {
  for (const { target } of USES) {
    assertMatch(target.pathname, /\.(?:svg|webp)$/);
    const { size } = await Deno.stat(target);
    assert(size < 150_000, `${target.pathname} has ${size} bytes`);
  }
});

Deno.test("a drawn terminal is well-formed, and fits its frame", async () => {
  for (const { target } of USES) {
    if (!target.pathname.endsWith(".svg")) continue;
    const svg = await Deno.readTextFile(target);
    for (const [, line] of svg.matchAll(/<text [^>]*>(.*)<\/text>/g)) {
      const text = line!.replaceAll(
        /<tspan class="c\d+">([^<]*)<\/tspan>/g,
        "$1",
      );
      assertMatch(text, /^[^<]*$/);
      assert(text.replaceAll(/&[#\w]+;/g, "&").length <= 96, text);
    }
  }
});
