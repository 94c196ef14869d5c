/** `any` fits every type, so the type checker accepts a handler that returns it. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { TestFolder } from "../../support/application.ts";
import { boughIn } from "../support.ts";

const NEXT = "() => Promise<Response>";

/** The exports of a file, and whether a handler or middleware may return `any`. */
const FILES: Readonly<Record<string, readonly [string, boolean]>> = {
  "api/a/route.ts": ["export const GET = (): any => ({});", true],
  "api/b/route.ts": ["export const GET = async () => JSON.parse('1');", true],
  "api/c/route.ts": [
    "export function POST(): Promise<any> { return Promise.resolve(1); }",
    true,
  ],
  "api/d/route.ts": [
    `export const GET = (request: Request) =>
      request.url === "" ? new Response() : JSON.parse("1");`,
    true,
  ],
  "api/e/route.ts": ["export const GET: any = () => 1;", true],
  "api/f/route.ts": [
    "export const GET = (): never => { throw new Error(); };",
    false,
  ],
  "api/g/route.ts": [
    "export const GET = (request: any) => Response.json(request.params);",
    false,
  ],
  "api/h/route.ts": [
    `export function GET(request: string): Response;
     export function GET(request: number): Response;
     export function GET(request: unknown): Response { return new Response(); }`,
    false,
  ],
  "api/i/route.ts": [
    "export const GET = <T>(request: T): Response => Response.json(request);",
    false,
  ],
  "api/j/middleware.ts": [
    `export default (_: Request, next: ${NEXT}): any => next();`,
    true,
  ],
  "api/k/middleware.ts": [
    `const pass = (_: Request, next: ${NEXT}) => next();
     export default [pass, (_: Request): any => 1];`,
    true,
  ],
  "api/l/middleware.ts": [
    `const pass = (_: Request, next: ${NEXT}) => next();
     export default [pass, pass] as const;`,
    false,
  ],
  "api/m/middleware.ts": ["export default undefined as any;", true],
  "api/o/route.ts": [
    `export const GET = (): Response => new Response();
     const any = (_: Request): any => 1;
     export const middleware = { GET: [any] };`,
    true,
  ],
  "api/p/route.ts": [
    `export const GET = (): Response => new Response();
     const pass = (_: Request, next: ${NEXT}) => next();
     export const middleware = [pass, pass] as const;`,
    false,
  ],
  "api/q/route.ts": [
    `export const GET = (): Response => new Response();
     const pass = (_: Request, next: ${NEXT}) => next();
     export const middleware = { GET: [pass] };`,
    false,
  ],
  // In JavaScript, parameters are `any`, and so is what `next()` returns.
  "api/n/middleware.js": ["export default (_, next) => next();", false],
};

Deno.test("bough check --types reports each handler and middleware that may return any", async () => {
  await using folder = await TestFolder.create(
    Object.fromEntries(
      Object.entries(FILES).map(([path, [code]]) => [path, code]),
    ),
  );
  const { stdout } = await boughIn(folder.path, "check", "--types", "--json");
  const findings: Record<string, string>[] = JSON.parse(stdout);
  const found = findings.filter(({ rule }) => rule === "types");
  assertEquals(
    found.map(({ path }) => path).sort(),
    Object.entries(FILES).flatMap(([path, [, isAny]]) => isAny ? [path] : []),
  );
  for (const { message } of found) {
    assertStringIncludes(message!, "must return a Response");
    assertStringIncludes(message!, `Type 'any' is not assignable to type 'Res`);
  }
});
