import { assertEquals } from "@std/assert";
import { app } from "./main.ts";

Deno.test("the pages, their files and the API are one site", async () => {
  const found = async (path: string) => {
    const response = await app.fetch(new Request(`http://localhost${path}`));
    await response.body?.cancel();
    return [response.status, response.headers.get("content-type")];
  };
  const page = [200, "text/html; charset=UTF-8"];
  const problem = [404, "application/problem+json"];
  for (
    const [path, expected] of [
      ["/", page],
      ["/docs/", page],
      ["/docs", [308, null]],
      ["/style.css", [200, "text/css; charset=UTF-8"]],
      ["/greet.js", [200, "text/javascript; charset=UTF-8"]],
      ["/api/greeting", [200, "application/json"]],
      ["/api/unknown", problem],
      ["/unknown", problem],
      ["/../main.ts", problem],
    ] as const
  ) {
    assertEquals(await found(path), [...expected], path);
  }
});
