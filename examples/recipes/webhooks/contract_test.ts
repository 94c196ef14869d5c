import { contractTests } from "@bough/framework/testing";
import { createHmac, randomBytes } from "node:crypto";
import { app } from "./main.ts";
import { setSecret } from "./signature.ts";

const secret = randomBytes(32);
await setSecret(`whsec_${secret.toString("base64")}`);

/** Signs the exact bytes of a request, as the sender of the messages does. */
async function sign(request: Request): Promise<Request> {
  const body = await request.clone().bytes();
  const id = crypto.randomUUID();
  const time = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", secret)
    .update(`${id}.${time}.`).update(body).digest("base64");
  const signed = new Request(request); // keeps the method and the body
  signed.headers.set("webhook-id", id);
  signed.headers.set("webhook-timestamp", time);
  signed.headers.set("webhook-signature", `v1,${signature}`);
  return signed;
}

contractTests({
  fetch: async (request) => await app.fetch(await sign(request)),
  inspect: () => app.inspect(),
});
