/// <reference lib="dom" />
/**
 * Tests the site in a real browser: its pages, links, search, looks and accessibility.
 * `deno task test:browser` runs these tests. The screenshots are `coverage/site_*.png`.
 */
import { assert, assertEquals } from "@std/assert";
import { serveFile } from "@std/http/file-server";
import { fromFileUrl } from "@std/path";
import type { Page } from "npm:playwright-core@^1.57.0";
import axe from "npm:axe-core@^4.14.1";
import { FRONT_PAGE, GROUPS, nameOf } from "../../../tools/site/pages.ts";
import { type OpenedPage, openPage } from "./support.ts";

const ROOT = new URL("../../../", import.meta.url);
const NAMES = [FRONT_PAGE, ...Object.values(GROUPS).flat()]
  .map((path) => nameOf(path)!);
const WIDTHS = [390, 800, 1400];
const SCHEMES = ["light", "dark"] as const;
/** The rules of WCAG 2.2 AA, and those that axe recommends. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
  .concat("best-practice");

/**
 * Words of users, and the page of the site that has the answer. The words were chosen
 * before the search was tried.
 */
const WORDS: Readonly<Record<string, string>> = {
  "404": "guide/errors",
  "cache": "files",
  "cookie": "guide/handlers",
  "cors": "guide/recipes",
  "deadline": "guide/options",
  "deploy": "guide/deployment",
  "docker": "guide/deployment",
  "download": "files",
  "env": "guide/permissions",
  "jwt": "guide/authentication",
  "logging": "log",
  "mock": "guide/testing",
  "openapi": "openapi",
  "postgres": "guide/databases",
  "rate limit": "guide/protection",
  "redirect": "guide/handlers",
  "sse": "live",
  "static": "files",
  "timeout": "guide/options",
  "transaction": "guide/databases",
  "upload": "uploads",
  "websocket": "live",
};

const built = await new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", fromFileUrl(new URL("tools/site/main.ts", ROOT))],
}).output();
assert(built.success, new TextDecoder().decode(built.stderr));

/** Serves the site, and opens it in a browser. */
async function withSite(
  use: (
    opened: OpenedPage,
    open: (path: string) => Promise<void>,
    origin: string,
  ) => Promise<void>,
): Promise<void> {
  await using server = Deno.serve({ port: 0, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    const file = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    return serveFile(
      request,
      fromFileUrl(new URL(`coverage/site${file}`, ROOT)),
    );
  });
  const origin = `http://localhost:${server.addr.port}`;
  await using opened = await openPage({ width: 1400, colorScheme: "light" });
  const { page, messages, requests } = opened;
  const open = async (path: string) => {
    const response = await page.goto(`${origin}${path}`);
    assertEquals(response?.status(), 200, path);
    await page.waitForFunction('document.querySelector("#app").__vue_app__');
  };
  await use(opened, open, origin);
  assertEquals(messages, [], "errors on the console");
  assertEquals(requests.filter((url) => !url.startsWith(`${origin}/`)), []);
}

function pathOf(name: string): string {
  return name === "index" ? "/" : `/${name}.html`;
}

Deno.test("every page opens, every link leads to a page and its section, and no space is lost", async () => {
  await withSite(async ({ page }, open, origin) => {
    /** The links to each section, and the sections of each page that was opened. */
    const links = new Map<string, string>();
    const sections = new Map<string, Set<string>>();
    const waiting = ["/"];
    const joined: string[] = [];
    for (const path of waiting) {
      if (sections.has(path)) continue;
      await open(path);
      const missing = await page.evaluate(() =>
        [...document.images].filter((image) => image.naturalWidth === 0)
          .map(({ src }) => src)
      );
      assertEquals(missing, [], `pictures of ${path}`);
      const ids = await page.evaluate(() =>
        [...document.querySelectorAll("[id]")].map(({ id }) => id)
      );
      sections.set(path, new Set(ids));
      joined.push(
        ...await page.locator(
          ".vp-doc :is(p, li, td) > :is(a, code) + :is(a, code)",
        ).evaluateAll((elements) =>
          elements.map(({ previousSibling, textContent }) =>
            previousSibling!.nodeType === 1
              ? `${previousSibling!.textContent}${textContent}`
              : ""
          ).filter(Boolean)
        ),
      );
      const targets = await page.locator("a[href]").evaluateAll((anchors) =>
        anchors.map((anchor) => anchor.getAttribute("href")!)
      );
      for (const target of targets) {
        const { origin: to, pathname, hash } = new URL(target, page.url());
        if (to !== origin) continue;
        links.set(`${pathname}${hash}`, path);
        waiting.push(pathname);
      }
    }
    assertEquals([...sections.keys()].toSorted(), NAMES.map(pathOf).toSorted());
    const broken = [...links].filter(([link]) => {
      const [path, hash] = link.split("#");
      return hash !== undefined &&
        !sections.get(path!)!.has(decodeURIComponent(hash));
    });
    assertEquals(broken, []);
    assertEquals(joined, []);
    assert(links.size > 400, `only ${links.size} links`);
  });
});

Deno.test("the links of llms.txt lead to Markdown", async () => {
  await withSite(async (_opened, _open, origin) => {
    const list = await (await fetch(`${origin}/llms.txt`)).text();
    const links = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!);
    assert(links.length >= NAMES.length, list);
    for (const link of links) {
      const response = await fetch(`${origin}${link}`);
      assert(/^# /m.test(await response.text()), link);
    }
  });
});

Deno.test("the search finds the right page for the words of users", async () => {
  await withSite(async ({ page }, open) => {
    await open("/");
    await page.keyboard.press("/");
    const ranks: Record<string, number> = {};
    for (const [word, name] of Object.entries(WORDS)) {
      await page.locator("#localsearch-input").fill("");
      await page.locator(".result").first().waitFor({ state: "detached" });
      await page.locator("#localsearch-input").fill(word);
      await page.locator(".result, .no-results").first().waitFor();
      const found = await page.locator(".result").evaluateAll((results) =>
        results.map((result) => result.getAttribute("href")!.split("#")[0])
      );
      ranks[word] = 1 + found.indexOf(pathOf(name));
    }
    const found = JSON.stringify(ranks);
    assert(Object.values(ranks).every((rank) => rank > 0 && rank < 4), found);
    const first = Object.values(ranks).filter((rank) => rank === 1);
    assert(first.length >= 14, found);
  });
});

/** The elements that exceed the screen, without those inside of a box that scrolls. */
async function overflowing(page: Page): Promise<string[]> {
  return await page.locator("#app *").evaluateAll((elements) =>
    elements.filter((element) => {
      const { right, width } = element.getBoundingClientRect();
      if (width === 0 || right <= document.documentElement.clientWidth + 1) {
        return false;
      }
      for (let box = element.parentElement; box; box = box.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(box).overflowX)) return false;
      }
      return true;
    }).map(({ tagName, className }) => `${tagName}.${className}`)
  );
}

Deno.test("the pages fit narrow and wide screens", async () => {
  await withSite(async ({ page }, open) => {
    const wide: string[] = [];
    for (const name of NAMES) {
      await open(pathOf(name));
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const scrolled = await page.evaluate(() =>
          document.documentElement.scrollWidth
        );
        if (scrolled > width) wide.push(`${name}: ${scrolled} of ${width}`);
        for (const element of await overflowing(page)) {
          wide.push(`${name}, ${width}: ${element}`);
        }
      }
    }
    assertEquals(wide, []);
  });
});

Deno.test("the front page fits one screen", async () => {
  await withSite(async ({ page }, open) => {
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await open("/");
      await page.screenshot({ path: `coverage/site_${colorScheme}.png` });
    }
    const { y, height } = (await page.locator(".example").boundingBox())!;
    assert(y + height <= 900, `${y + height}`);
  });
});

Deno.test("the button copies commands without their output", async () => {
  await withSite(async ({ page }, open) => {
    const clipboard = ["clipboard-read", "clipboard-write"];
    await page.context().grantPermissions(clipboard);
    await open("/guide/first_hour.html");
    await page.locator(".language-shellsession").first().hover();
    await page.locator(".language-shellsession .copy").first().click();
    await page.locator(".copy.copied").waitFor();
    assertEquals(
      await page.evaluate(() => navigator.clipboard.readText()),
      "deno create jsr:@bough/framework -- my-project\ncd my-project\ndeno task dev",
    );
  });
});

/** The serious findings of axe in both schemes, as lines. */
async function inaccessible(page: Page, place: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const shown = colorScheme === "dark" ? "html.dark" : "html:not(.dark)";
    await page.locator(shown).waitFor();
    // The schemes share all but the colors, and all rules take much longer.
    const runOnly = colorScheme === "light" ? RULES : ["color-contrast"];
    const options = JSON.stringify({ runOnly, resultTypes: ["violations"] });
    const { violations } = await page.evaluate<axe.AxeResults>(
      `axe.run(${options})`,
    );
    for (const { id, impact, nodes } of violations) {
      if (!/serious|critical/.test(`${impact}`)) continue;
      const where = nodes.map(({ html }) => html).join(" ");
      found.push(`${place} (${colorScheme}): ${id}: ${where}`);
    }
  }
  return found;
}

Deno.test("axe finds nothing serious, in light and dark", async () => {
  await withSite(async ({ page }, open) => {
    await page.addInitScript(axe.source);
    const found: string[] = [];
    for (const name of NAMES) {
      await open(pathOf(name));
      found.push(...await inaccessible(page, name));
    }
    await page.keyboard.press("/");
    await page.locator("#localsearch-input").fill("cookie");
    await page.locator(".result").first().waitFor();
    found.push(...await inaccessible(page, "search"));
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 390, height: 900 });
    await page.locator(".VPNavBarHamburger").click();
    await page.locator(".VPNavScreen").waitFor();
    found.push(...await inaccessible(page, "menu"));
    assertEquals(found, []);
  });
});
