/** Shows why `queryValues()` splits most queries itself. */
import { queryValues, valuesByName } from "../../../src/core/request/form.ts";

// Each string is new, as those of a server are.
const urls = Array.from(
  { length: 1_000 },
  (_, index) =>
    new TextDecoder().decode(
      new TextEncoder().encode(`http://h/api/search?q=trees${index}&page=2`),
    ),
);

Deno.bench("URLSearchParams", { group: "query", baseline: true }, () => {
  for (const url of urls) {
    valuesByName(new URLSearchParams(url.slice(url.indexOf("?"))));
  }
});

Deno.bench("queryValues()", { group: "query" }, () => {
  for (const url of urls) queryValues(url);
});

Deno.bench("queryValues() of an escape", { group: "query" }, () => {
  for (const url of urls) queryValues(`${url}%20`);
});
