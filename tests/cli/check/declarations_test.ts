import { assertEquals } from "@std/assert";
import { withoutUrls } from "../../../src/cli/check/declarations.ts";
import { importUrl } from "../../../src/core/common/paths.ts";

Deno.test("withoutUrls() writes file: URLs as paths relative to the working directory", () => {
  const url = new URL("my%20data", importUrl(`${Deno.cwd()}/`));
  assertEquals(
    withoutUrls({ read: [url, url.href, "./data"], write: true }),
    { read: ["my data", "my data", "./data"], write: true },
  );
});

Deno.test("withoutUrls() keeps values that are not paths, and invalid values", () => {
  const permissions = { net: ["file:8000"], read: ["file:///a%2Fb"] };
  assertEquals(withoutUrls(permissions), permissions);
});
