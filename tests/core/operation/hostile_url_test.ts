import { checkMaliciousUrls } from "./malicious_urls.ts";

for (const protocol of ["HTTP/1.1", "HTTP/2"] as const) {
  for (const allowed of [undefined, "good.example"]) {
    const how = allowed === undefined ? "" : ", with allowedHosts";
    Deno.test(`1,000 malicious requests over ${protocol}${how} are routed by the paths of their URLs`, async () => {
      await checkMaliciousUrls(protocol, allowed, { seed: 1, count: 1_000 });
    });
  }
}
