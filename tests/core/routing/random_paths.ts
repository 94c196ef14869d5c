import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { join } from "@std/path";
import { compilePattern } from "../../../src/core/routing/pattern.ts";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { naiveMatch, naiveParams } from "../../support/oracle.ts";
import { rawRequest } from "../../support/raw_http.ts";

const AT_ONCE = 20;

const FOLDERS = [
  "",
  "users",
  "users/me",
  "users/me/settings",
  "users/[id]",
  "users/[user]/posts",
  "users/[user]/posts/[post]",
  "users/me/[...]",
  "files/[...]",
  "files/a/[x]/c",
  "[a]/b",
  "[a]/[b]/[c]",
  "café",
  "constructor/[__proto__]",
  "__proto__/[...]",
];

const PATTERNS = FOLDERS.map((folder) =>
  compilePattern(["api"], folder.split("/").filter((name) => name !== ""))
);

/** Pieces of paths, including pieces that often break routers. */
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constant("/") },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ..."users me settings posts files a b c café constructor __proto__ 42"
        .split(" "),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ..."// . .. ... %2e %2E%2e %2F %2f %5C \\ % %G1 %FF %00 %C3%A9 %2520 %25"
        .split(" "),
      ..."? # + ~ : ; @ & = ' \" < > { } | ^ ` [ ] ( ) * ! $ , é 💥 %F0%9F%92%A5"
        .split(" "),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: "grapheme", maxLength: 4 })
      .map((text) => text.replaceAll(/[\p{Cc}\s]/gu, "")),
  },
);

const target = fc.array(piece, { maxLength: 14 })
  .map((pieces) => "/api/" + pieces.join(""));

/** The expected result of a path, without any code of the router. */
function expected(target: string): unknown {
  const { pathname } = new URL(`http://localhost${target}`);
  let segments;
  try {
    segments = pathname.split("/").filter((segment) => segment !== "")
      .map(decodeURIComponent);
  } catch {
    return 400;
  }
  if (segments.some((segment) => segment.includes("\0"))) return 400;
  const pattern = naiveMatch(PATTERNS, segments);
  if (pattern === undefined) return 404;
  const rest = segments.slice(pattern.segments.length - 1);
  if (pattern.hasWildcard && rest.some((part) => /[/\\]/.test(part))) {
    return 400;
  }
  return {
    route: FOLDERS[PATTERNS.indexOf(pattern)],
    params: Object.entries(naiveParams(pattern, segments)),
    ...(pattern.hasWildcard && { wildcardParams: rest }),
  };
}

/** Checks that requests with random paths find the same route as the naive oracle. */
export async function checkRandomPaths(count: number): Promise<void> {
  const files = FOLDERS.map((folder): [string, TestModule] => {
    const GET: TestModule["GET"] = ({ params, wildcardParams }) =>
      Response.json({
        route: folder,
        params: Object.entries(params),
        wildcardParams,
      });
    return [join(folder, "route.ts"), { GET }];
  });
  await using server = await TestApplication.of(Object.fromEntries(files))
    .serve();
  const targets = fc.sample(target, count);
  const seen = new Map<number, number>();

  async function work(): Promise<void> {
    for (let path = targets.pop(); path !== undefined; path = targets.pop()) {
      const answer = await rawRequest(server.port, `GET ${path} HTTP/1.1`);
      const { status } = answer;
      seen.set(status, (seen.get(status) ?? 0) + 1);
      const found = status === 200 ? JSON.parse(answer.body) : status;
      assertEquals(found, expected(path), path);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));

  // The test is useful only if the paths get all kinds of responses.
  assertEquals([...seen.keys()].toSorted(), [200, 400, 404]);
  for (const each of seen.values()) assert(each > count / 50, `${each}`);
}
