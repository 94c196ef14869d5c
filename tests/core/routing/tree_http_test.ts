import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROUTING_TABLES } from "../../cases/routing.ts";
import { FolderApplication } from "../../support/application.ts";
import { rawRequest } from "../../support/raw_http.ts";

/** A route file that responds with its folder and its params. */
function routeFile(folder: string): string {
  return `export function GET({ params, wildcardParams }) {
  return Response.json([
    ${JSON.stringify(folder)},
    Object.entries(params),
    wildcardParams ?? [],
  ]);
}`;
}

const WAYS = ["folder", "lazy manifest"] as const;

for (
  const [way, { rule, folders, prefix, cases }] of WAYS.flatMap((way) =>
    ROUTING_TABLES.map((table) => [way, table] as const)
  )
) {
  Deno.test(`served over HTTP (${way}): ${rule}`, async () => {
    const files = folders.map((folder) => [
      join(folder, "route.js"),
      routeFile(folder),
    ]);
    await using application = await FolderApplication.create(
      Object.fromEntries(files),
      prefix === undefined ? {} : { apiPrefix: prefix },
      way,
    );
    await using server = await application.serve();
    for (const [path, route, params = {}, wildcardParams = []] of cases) {
      const { status, headers, body } = await rawRequest(
        server.port,
        `GET ${path} HTTP/1.1`,
      );
      const isError = typeof route === "number";
      const value = JSON.parse(body);
      assertEquals(
        [status, headers.get("content-type"), isError ? value.status : value],
        isError
          ? [route, "application/problem+json", route]
          : [200, "application/json", [
            route,
            Object.entries(params),
            wildcardParams,
          ]],
        path,
      );
    }
  });
}
