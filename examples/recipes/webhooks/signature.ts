import { HttpError } from "@bough/framework";

/** How old, or how early, a message may be, in seconds. */
export const TOLERANCE = 5 * 60;

let key: CryptoKey | undefined;

/** Sets the secret, such as `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`. */
export async function setSecret(secret: string): Promise<void> {
  key = await crypto.subtle.importKey(
    "raw",
    Uint8Array.fromBase64(secret.replace(/^whsec_/, "")),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
}

/**
 * Checks who signed a message, and when.
 *
 * @param body The exact bytes that were sent.
 * @param now The time, in milliseconds.
 * @returns The id of the message.
 * @throws {HttpError} 400 if it is not signed with the secret, or not now.
 */
export async function verifySignature(
  headers: Headers,
  body: Uint8Array,
  now: number = Date.now(),
): Promise<string> {
  if (key === undefined) throw new Error("Call setSecret() at the start");
  const id = headers.get("webhook-id") ?? "";
  const time = headers.get("webhook-timestamp") ?? "";
  const signatures = headers.get("webhook-signature") ?? "";
  if (id === "" || !/^\d{1,12}$/.test(time) || signatures.length > 1_000) {
    throw new HttpError(400, "The signature is missing or malformed");
  }
  if (Math.abs(now / 1000 - Number(time)) > TOLERANCE) {
    throw new HttpError(400, "The message is too old or from the future");
  }
  const prefix = new TextEncoder().encode(`${id}.${time}.`);
  const signed = new Uint8Array([...prefix, ...body]);
  // Several, where the sender changes its secret.
  for (const signature of signatures.split(" ")) {
    const bytes = decode(signature);
    if (bytes === undefined) continue;
    // It takes the same time, wherever the first wrong byte is.
    if (await crypto.subtle.verify("HMAC", key, bytes, signed)) return id;
  }
  throw new HttpError(400, "The signature is wrong");
}

function decode(signature: string): Uint8Array<ArrayBuffer> | undefined {
  if (!signature.startsWith("v1,")) return undefined;
  try {
    return Uint8Array.fromBase64(signature.slice("v1,".length));
  } catch {
    return undefined; // not Base64
  }
}
