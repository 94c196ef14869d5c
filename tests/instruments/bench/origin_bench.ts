/** Shows why `PathReader` compares the beginning of a URL with `lastIndexOf`. */

const ORIGIN = "http://localhost:8000/";
const BYTES = new TextEncoder().encode(`${ORIGIN}api/users/42`);
const decoder = new TextDecoder();

/** New strings, as in requests, which V8 has not seen yet. */
const urls = Array.from({ length: 1_000 }, () => decoder.decode(BYTES));

Deno.bench(
  "1,000 URLs by lastIndexOf()",
  { group: "origin", baseline: true },
  () => {
    for (const url of urls) {
      if (url.lastIndexOf(ORIGIN, 0) !== 0) throw new Error(url);
    }
  },
);

Deno.bench("1,000 URLs by startsWith()", { group: "origin" }, () => {
  for (const url of urls) {
    if (!url.startsWith(ORIGIN)) throw new Error(url);
  }
});

Deno.bench("1,000 URLs by slice()", { group: "origin" }, () => {
  for (const url of urls) {
    if (url.slice(0, ORIGIN.length) !== ORIGIN) throw new Error(url);
  }
});
