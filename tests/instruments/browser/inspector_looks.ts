/// <reference lib="dom" />
/**
 * Tests the page of the inspector with data that applications rarely produce: markup and
 * 10,000 characters in every value. `deno task test:browser` runs these tests.
 */
import { assert, assertEquals } from "@std/assert";
import type { Page } from "npm:playwright-core@^1.57.0";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { until } from "../../support/until.ts";
import { bodyOf } from "../../dev/inspector/entry_of.ts";
import { FakeInspector } from "./inspector_fake.ts";
import { LOOKS, openPage } from "./support.ts";

/** An entry with a text in every value that a client or a program controls. */
function entryWith(text: string): Partial<RequestEntry> {
  const step = encodeURIComponent(text.replaceAll("/", "~1"));
  const json = JSON.stringify({ [text]: text, list: [text] });
  const message = { headers: [[text, text]] as const, body: bodyOf(json) };
  const frame = {
    text,
    file: `/${text}`,
    line: 1,
    source: [{ line: 1, text }],
  };
  return {
    method: text,
    url: `/${text}?${encodeURIComponent(text)}=${encodeURIComponent(text)}`,
    route: text,
    file: text,
    isDeprecated: true,
    status: 500,
    steps: [{ name: "middleware", file: text, start: 1, duration: 1 }],
    request: message,
    response: message,
    params: { [text]: text },
    wildcardParams: [text],
    validated: { body: { [text]: text } },
    issues: [
      { in: "body", pointer: "#/list/0", detail: text },
      { in: "query", pointer: `#/${step}`, detail: text },
    ],
    error: { text, frames: [frame], cause: { text, frames: [frame] } },
    logs: [{ time: 1, level: "error", text }],
    messages: [{ time: 1, from: "client", text }],
    messageCount: 1,
    ended: { by: "client", code: 4000, reason: text },
    secrets: [text],
    unrepeatable: text,
  };
}

/** Adds a route with a text in every value. */
function addRoute(fake: FakeInspector, text: string): void {
  const operation = { method: text, middleware: [text], schemas: text };
  fake.routes.push({
    path: text,
    file: text,
    absolute: `/${text}`,
    folders: [text],
    methods: [operation],
  });
  fake.findings.push({
    level: "warning",
    rule: text,
    path: text,
    message: text,
  });
}

const MARKUP = [
  `<img src=x onerror="pwned = 1">`,
  `<script>pwned = 1</script>`,
  `"><script>pwned = 1</script>`,
  `'><img src=x onerror='pwned = 1'>`,
  `<svg onload="pwned = 1"></svg>`,
  `<svg><script>pwned = 1</script></svg>`,
  `<iframe srcdoc="<script>parent.pwned = 1</script>"></iframe>`,
  `<a href="javascript:pwned = 1">x</a>`,
  `javascript:pwned = 1//`,
  `<body onload="pwned = 1">`,
  `<details open ontoggle="pwned = 1">`,
  `<input autofocus onfocus="pwned = 1">`,
  `<style>body { display: none }</style>`,
  `<link rel="stylesheet" href="data:text/css,body{display:none}">`,
  `<meta http-equiv="refresh" content="0; url=data:text/html,x">`,
  `<base href="https://example.com/">`,
  `</pre></div></article><h1>x</h1>`,
  `<!--`,
  `<template><img src=x onerror="pwned = 1"></template>`,
  `&lt;img src=x onerror=pwned=1&gt;<math><mi xlink:href="data:x">`,
];

/** The elements below each match: their names, handlers, and the schemes of links. */
async function elementsOf(page: Page, selector: string): Promise<string[]> {
  return await page.locator(selector).evaluateAll((roots) =>
    roots.map((root) =>
      [...root.querySelectorAll("*")].map((element) =>
        [
          element.localName,
          element.getAttributeNames().filter((name) => name.startsWith("on")),
          element.getAttribute("href")?.replace(/[:/].*/s, ""),
        ].flat().join(" ").trim()
      ).join("\n")
    )
  );
}

/** Opens the page of a fake inspector, and waits for its requests and routes. */
async function show(page: Page, fake: FakeInspector): Promise<void> {
  await page.goto(fake.url);
  await page.locator("#rows tr").first().waitFor();
}

/** Shows what a hash names, and waits until it is selected in its list. */
async function showHash(page: Page, hash: string): Promise<void> {
  await page.evaluate((hash) => location.hash = hash, hash);
  await page.waitForFunction((hash) => {
    const selector = ".list:not([hidden]) .selected a";
    const selected = document.querySelector<HTMLAnchorElement>(selector);
    const isBusy = document.querySelector("#shown [aria-busy]") !== null;
    return selected?.hash === hash && !isBusy;
  }, hash);
}

/** Leaves the details, and waits until only a list is shown. */
async function showList(
  page: Page,
  view: "requests" | "routes",
): Promise<void> {
  await page.evaluate((view) => location.hash = `#/${view}`, view);
  await page.locator(`#${view}:not(:has(.selected))`).waitFor();
}

Deno.test("markup in any value of a request or a route stays text", async () => {
  assertEquals(MARKUP.length, 20);
  await using fake = new FakeInspector();
  for (const text of ["plain", ...MARKUP]) {
    fake.add(entryWith(text));
    addRoute(fake, text);
  }
  await using opened = await openPage();
  const { page, messages, requests } = opened;
  await show(page, fake);
  const rows = await elementsOf(page, "#rows tr");
  assertEquals(new Set(rows).size, 1, "all rows have the same elements");
  assertEquals(rows.length, 21);

  const details: string[] = [];
  for (const [index, text] of ["plain", ...MARKUP].entries()) {
    const hashes = [
      `#/requests/first-${index + 1}`,
      `#/routes/${encodeURIComponent(text)}`,
    ];
    const elements: string[] = [];
    for (const hash of hashes) {
      await showHash(page, hash);
      elements.push(...await elementsOf(page, "#shown"));
      const shown = await page.locator("#shown").innerText();
      assert(shown.includes(text), `${text} in ${shown}`);
    }
    details.push(elements.join("\n\n"));
    assertEquals(details[index], details[0], text);
    assertEquals(await page.evaluate("globalThis.pwned"), undefined, text);
  }
  const tree = await elementsOf(page, "#tree > ul > li");
  assertEquals(new Set(tree).size, 1, "all folders have the same elements");
  assertEquals(tree.length, 21);
  assertEquals(messages, [], "the content policy blocked nothing");
  assertEquals(requests.filter((url) => !url.startsWith(fake.url)), []);
});

/** Asserts that nothing is wider than its box, or higher than 330 pixels. */
async function assertFits(page: Page, width: number): Promise<void> {
  const overflowing = await page.locator("html, main, main *")
    .evaluateAll((elements) =>
      elements.filter((element) => {
        const { overflowX } = getComputedStyle(element);
        const isBox = element.matches(".box, h2, .list td");
        return element.scrollWidth > element.clientWidth + 1 &&
            element.clientWidth > 0 &&
            !(overflowX === "hidden" && element.matches("td, td *, th")) ||
          isBox && element.clientHeight > 330;
      }).map((element) =>
        `${
          element.outerHTML.slice(0, 60)
        } ${element.scrollWidth} ${element.clientWidth}`
      )
    );
  assertEquals(overflowing, []);
  assertEquals(
    await page.evaluate("document.documentElement.scrollWidth"),
    width,
  );
}

Deno.test("10,000 characters in any value fit wide and narrow screens", async () => {
  const text = `${"wide".repeat(2_500)}!`;
  for (const name of ["wide_light", "narrow_dark"]) {
    const look = LOOKS[name]!;
    await using fake = new FakeInspector();
    fake.add(entryWith(text));
    addRoute(fake, text);
    await using opened = await openPage(look);
    const { page } = opened;
    await show(page, fake);
    const row = (await page.locator("#rows tr").boundingBox())!;
    assert(row.height < 40, `a row has ${row.height} pixels`);
    const keys = { requests: "first-1", routes: text };
    for (const view of ["requests", "routes"] as const) {
      await showHash(page, `#/${view}/${keys[view]}`);
      await assertFits(page, look.width);
      await showList(page, view);
      await assertFits(page, look.width);
    }
    await showHash(page, "#/requests/first-1");
    const button = await page.getByText("Copy as test").boundingBox();
    assert(button!.y < 600, `the buttons are at ${button!.y}`);
    await page.screenshot({ path: `coverage/inspector_long_${name}.png` });
  }
});

Deno.test("a poll keeps the focus, the selected text and the scroll positions", async () => {
  await using fake = new FakeInspector();
  for (let count = 0; count < 60; count++) fake.add(entryWith(`text ${count}`));
  await using opened = await openPage();
  const { page } = opened;
  await show(page, fake);
  await showHash(page, "#/requests/first-30");
  await page.evaluate(() => {
    const box = document.querySelector<HTMLElement>("#shown .box")!;
    box.focus({ preventScroll: true });
    getSelection()!.selectAllChildren(box);
    document.querySelector("#requests .scroll")!.scrollTop = 200;
    document.querySelector("#detail")!.scrollTop = 100;
  });
  const state = () =>
    page.evaluate(() => ({
      focus: document.activeElement!.ariaLabel,
      isConnected: getSelection()!.anchorNode!.isConnected,
      selected: String(getSelection()),
      detail: document.querySelector("#detail")!.scrollTop,
      hash: location.hash,
      row: Math.round(
        document.querySelector(".selected a")!.getBoundingClientRect().top,
      ),
    }));
  const before = await state();
  assertEquals([before.focus, before.selected], ["Message", "text 29"]);
  assertEquals(before.detail, 100);
  const polled = async () => {
    const { polls } = fake;
    await until(() => fake.polls > polls + 1);
  };
  const changes = await page.evaluateHandle(() => {
    const kinds: string[] = [];
    new MutationObserver((records) =>
      kinds.push(...records.map(({ type }) => type))
    ).observe(document, {
      attributes: true,
      characterData: true,
      childList: true,
      subtree: true,
    });
    return kinds;
  });
  await polled();
  assertEquals(await changes.jsonValue(), [], "the page does not change");
  assertEquals(await state(), before);
  fake.add(entryWith("a new request"));
  await page.getByText("a new request").first().waitFor();
  await polled();
  assertEquals(await state(), before);
  // The shown request itself changes.
  const changed = { ...fake.entries[29]!, version: 100, duration: 9 };
  fake.entries[29] = changed;
  await page.locator("#shown").getByText("9.00 ms").waitFor();
  assertEquals(await state(), before);
});

/** The texts with a contrast below 4.5, the minimum of WCAG AA for small text. */
async function paleTexts(page: Page): Promise<string[]> {
  return await page.locator("body *").evaluateAll((elements) => {
    const context = new OffscreenCanvas(1, 1).getContext("2d", {
      willReadFrequently: true,
    })!;
    const over = (colors: readonly string[]) => {
      for (const color of colors) {
        context.fillStyle = color;
        context.fillRect(0, 0, 1, 1);
      }
      const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data]
        .map((value) => value / 255)
        .map((value) =>
          value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
        );
      return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! + 0.05;
    };
    return elements.filter((element) => {
      const isText = [...element.childNodes].some((node) =>
        node.nodeType === 3 && node.nodeValue!.trim() !== ""
      );
      if (!isText && !element.matches("input")) return false;
      const grounds: string[] = [];
      for (let at: Element | null = element; at; at = at.parentElement) {
        grounds.unshift(getComputedStyle(at).backgroundColor);
      }
      const pseudo = element.matches("input") ? "::placeholder" : undefined;
      const { color } = getComputedStyle(element, pseudo);
      const [a, b] = [over(grounds), over([...grounds, color])];
      return Math.max(a, b) / Math.min(a, b) < 4.5;
    }).map((element) => element.outerHTML.slice(0, 80));
  });
}

for (const name of ["wide_light", "wide_dark"]) {
  Deno.test(`all texts have enough contrast: ${name}`, async () => {
    await using fake = new FakeInspector();
    for (const status of [200, 304, 404, 500, undefined]) {
      fake.add({ ...entryWith("text"), ...(status && { status }) });
    }
    addRoute(fake, "text");
    await using opened = await openPage(LOOKS[name]);
    const { page } = opened;
    await show(page, fake);
    for (const hash of ["#/requests/first-4", "#/routes/text"]) {
      await showHash(page, hash);
      assertEquals(await paleTexts(page), [], hash);
    }
    await showList(page, "routes");
    assertEquals(await paleTexts(page), []);
  });
}
