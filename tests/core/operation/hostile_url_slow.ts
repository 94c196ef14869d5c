import { checkMaliciousUrls } from "./malicious_urls.ts";

// Slow: 20,000 requests, 6 CPU seconds.
for (const protocol of ["HTTP/1.1", "HTTP/2"] as const) {
  for (const allowed of [undefined, "good.example"]) {
    const how = allowed === undefined ? "" : ", with allowedHosts";
    Deno.test(`5,000 malicious requests over ${protocol}${how} are routed by the paths of their URLs`, async () => {
      await checkMaliciousUrls(protocol, allowed, { seed: 12, count: 5_000 });
    });
  }
}
