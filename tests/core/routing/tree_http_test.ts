import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROUTING_TABLES } from "../../cases/routing.ts";
import { FolderApplication, WAYS } from "../../support/application.ts";
import { rawRequest } from "../../support/raw_http.ts";

/** A route file that responds with its folder and its params. */
function routeFile(folder: string): string {
  return `export function GET({ params, wildcardParams }) {
  return Response.json({
    route: ${JSON.stringify(folder)},
    params: Object.entries(params),
    wildcardParams,
  });
}`;
}

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
    for (const { path, route, params = {}, wildcardParams } of cases) {
      const answer = await rawRequest(server.port, `GET ${path} HTTP/1.1`);
      if (typeof route === "number") {
        assertEquals(answer.status, route, path);
        assertEquals(JSON.parse(answer.body).status, route, path);
        assertEquals(
          answer.headers.get("content-type"),
          "application/problem+json",
        );
        continue;
      }
      assertEquals(answer.status, 200, path);
      assertEquals(JSON.parse(answer.body), {
        route,
        params: Object.entries(params),
        ...(wildcardParams && { wildcardParams }),
      }, path);
    }
  });
}
