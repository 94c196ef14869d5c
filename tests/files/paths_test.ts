import { files } from "@bough/framework/files";
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { TestApplication, TestFolder } from "../support/application.ts";
import { rawRequest } from "../support/raw_http.ts";

const SECRET = "secret";
/** Contents by path; only the folder `site` is served. */
const FILES = {
  "secret.txt": SECRET,
  "site-2/secret.txt": SECRET,
  "site/index.html": "index",
  "site/a.txt": "a",
  "site/sub/index.html": "sub",
  "site/.env": SECRET,
  "site/.git/config": SECRET,
  "site/sub/.env": SECRET,
  "site/api/secret.txt": SECRET,
};
const LINKS = {
  "site/out.txt": "../secret.txt",
  "site/out": "..",
  "site/next": "../site-2",
  "site/root": "/",
  "site/hidden.txt": ".env",
  "site/hidden": ".git",
  "site/loop": "loop",
  "site/in.txt": "a.txt",
};

/** Words that a space separates. */
const words = (text: string): string[] => text.split(" ");
const DOTS = words(
  String
    .raw`.. %2e%2e .%2e %2E. %252e%252e ..%00 ... ..; \.. ..\ ..%20 %c0%ae%c0%ae`,
);
const SLASHES = words(String.raw`/ // %2f %252f \ %5c %c0%af /./`);
const HIDDEN = words(
  ".env %2eenv .git/config sub/.env sub/../.env ./.env sub%2f.env hidden.txt " +
    "hidden/config .env%00.txt .env/ .env::$DATA .env. .env%20 GIT~1/config out.txt " +
    "out/secret.txt out/site/.env next/secret.txt root/etc/passwd loop loop/a.txt",
);
const ODD = words(
  "CON NUL aux.txt C:/secret.txt C:%5csecret.txt %00 a.txt%00 a.txt/ a.txt/b %ff % " +
    "%zz %c3%28 a.txt. a.txt%20 a.txt::$DATA a%0d%0ab api/secret.txt %61pi/secret.txt " +
    "/api/secret.txt api%2fsecret.txt sub/../api/secret.txt ./api/secret.txt",
).concat("x".repeat(300), "x/".repeat(1_500));

/** Paths that must lead to no file. */
const MISSING: readonly string[] = [
  ...DOTS.flatMap((dots) =>
    SLASHES.flatMap((slash) => [
      `/${dots}${slash}secret.txt`,
      `/sub/${dots}${slash}${dots}${slash}site-2/secret.txt`,
    ])
  ),
  ...[...HIDDEN, ...ODD].map((name) => `/${name}`),
];

/** Paths that lead to a file, although they look dangerous. */
const FOUND: Readonly<Record<string, string>> = {
  "/": "index",
  "//": "index",
  "/a.txt": "a",
  "/%61.txt": "a",
  "//a.txt": "a",
  "/../a.txt": "a",
  "/sub/../a.txt": "a",
  "/in.txt": "a",
  "/out/site/a.txt": "a",
  "/sub/": "sub",
};

Deno.test("no path leads out of the folder or to a hidden file", async (t) => {
  await using folder = await TestFolder.create(FILES);
  await folder.link(LINKS);
  const application = TestApplication.of({}, {
    plugins: [files({ dir: join(folder.path, "site") })],
  });
  await using server = await application.serve();
  const ask = (path: string) => rawRequest(server.port, `GET ${path} HTTP/1.1`);

  await t.step("missing paths", async () => {
    assert(MISSING.length >= 200);
    for (const path of MISSING) {
      const { status, body } = await ask(path);
      const shown = path.slice(0, 80);
      assert(status === 400 || status === 404, `${shown}: ${status} ${body}`);
      assert(!/^secret$|root:/m.test(body), `${shown}: ${body}`);
      assert(!body.includes(folder.path), `${shown}: ${body}`);
    }
  });

  for (const [path, expected] of Object.entries(FOUND)) {
    await t.step(
      path,
      async () => assertEquals((await ask(path)).body, expected),
    );
  }

  await t.step("redirections stay at the origin", async () => {
    for (
      const path of ["/sub", "//sub", "//evil.example/../sub", "/%73ub?//e"]
    ) {
      const { headers } = await ask(path);
      const to = new URL(headers.get("location") ?? "", "http://localhost/");
      assertEquals(to.host, "localhost", path);
    }
  });
});
