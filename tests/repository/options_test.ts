/** Each option is declared once, and everything that must know it knows it. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { Framework, type FrameworkOptions } from "@bough/framework";
import { createDocument } from "@bough/framework/openapi";
import { fromFileUrl } from "@std/path";
import { z } from "zod";
import type { CommonOptions } from "../../src/core/types/options.ts";
import { OPTIONS } from "../../src/core/start/options.ts";
import { commandGuide, optionGuide } from "../../tools/option_guide.ts";
import { TestApplication, type TestModule } from "../support/application.ts";
import { boughIn } from "../cli/support.ts";
import { Page } from "../support/pages.ts";
import { checkFast } from "../testing/support.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const PAGES = await Page.all();

function pageAt(path: string): string {
  return PAGES.find((page) => page.path === path)!.text;
}

Deno.test("src/guide/options.md is up to date with the declared options", async () => {
  const written = pageAt("src/guide/options.md");
  assertEquals(written, await optionGuide(), "run: deno task guide");
});

Deno.test("src/cli/README.md is up to date with the rules of bough check", async () => {
  const written = pageAt("src/cli/README.md");
  assertEquals(written, await commandGuide(), "run: deno task guide");
});

Deno.test("every option rejects a value of the wrong kind (behaviour 9.1)", () => {
  for (const [name, { expected }] of Object.entries(OPTIONS)) {
    const options = { apiDir: "api", [name]: null };
    assertThrows(
      () => new Framework(options as unknown as FrameworkOptions),
      TypeError,
      `Cannot create the Framework: ${name} ${expected}`,
    );
  }
});

type LimitName = {
  [Name in keyof CommonOptions]-?: number extends CommonOptions[Name] ? Name
    : never;
}[keyof CommonOptions];

interface Limit {
  readonly value: number;
  readonly status: number;
  readonly target?: string;
  readonly body?: BodyInit;
}

/** The type checker requires an entry for every limit. */
const LIMITS: Readonly<Record<LimitName, Limit>> = {
  bodyLimit: { value: 40, status: 413, body: JSON.stringify("a".repeat(40)) },
  bodyTimeout: { value: 5, status: 408, body: new ReadableStream() },
};

const FILES: Readonly<Record<string, TestModule>> = {
  "notes/route.ts": {
    schema: {
      post: {
        query: z.object({ tag: z.string().optional() }),
        body: z.string(),
        response: z.null(),
      },
    },
    POST: () => Response.json(null),
  },
};

for (const name of Object.keys(LIMITS) as LimitName[]) {
  const { value, status, target = "", body = '"a"' } = LIMITS[name];
  const create = (limit: number) =>
    TestApplication.of(FILES, { [name]: limit });

  Deno.test(`a request that exceeds ${name} gets ${status}`, async () => {
    const response = await create(value).fetch(`/api/notes${target}`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    assertEquals(response.status, status);
  });

  Deno.test(`app.routes() and the document show ${name}`, async () => {
    for (const limit of [value, Infinity]) {
      const routes = await create(limit).app.routes();
      assertEquals(routes.map((route) => route[name]), [limit]);
      const { document } = createDocument(routes, {
        info: { title: "Notes", version: "1" },
      });
      const { responses } = document.paths["/api/notes"]!.post!;
      assertEquals(status in responses, limit === value);
    }
  });

  Deno.test(`contract tests know ${name}`, async () => {
    const { failures, results } = await checkFast(() => create(value).app, {
      seed: 11,
      runs: 60,
    });
    assert(results.length > 0);
    assertEquals(failures.map(({ expected, seen }) => [expected, seen]), []);
  });

  Deno.test(`SECURITY.md and the guide of handlers name ${name}`, () => {
    assertEquals(
      missingIn(".github/SECURITY.md", "## What Bough promises", [name]),
      [],
    );
    assertEquals(missingIn("src/guide/handlers.md", "### Limits", [name]), []);
  });
}

/** The names that a section of a page does not contain. */
function missingIn(
  path: string,
  heading: string,
  names: readonly string[],
): string[] {
  const page = pageAt(path);
  const from = page.indexOf(`\n${heading}`);
  assert(from !== -1, `${path} has no section "${heading}"`);
  const section = page.slice(from, page.indexOf("\n##", from + 1));
  return names.filter((name) => !section.includes(`\`${name}\``));
}

Deno.test("behaviour 9.7 names every member of a route", async () => {
  const routes = await TestApplication.of(FILES).app.routes();
  const names = Object.keys(routes[0]!);
  assertEquals(missingIn("src/guide/behaviour.md", "### 9.7 ", names), []);
});

Deno.test("the guide of the command names every member of bough routes --json", async () => {
  const { stdout } = await boughIn(
    ROOT,
    "routes",
    "examples/bookshop/api",
    "--json",
  );
  const names = [...new Set(JSON.parse(stdout).flatMap(Object.keys))];
  const heading = "## List the routes";
  assertEquals(
    missingIn("src/cli/README.md", heading, names as string[]),
    [],
  );
});
