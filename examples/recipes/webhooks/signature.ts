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
 * Checks that a message was signed with the secret, and only recently.
 *
 * @param body The exact bytes that were sent.
 * @param now The time, in milliseconds.
 * @returns The id of the message.
 * @throws {HttpError} 400 if the signature is invalid, too old or from the future.
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
  // A sender that changes its secret sends several signatures.
  for (const signature of signatures.split(" ")) {
    const bytes = decode(signature);
    if (bytes === undefined) continue;
    // The time of `verify` does not depend on the position of the first wrong byte.
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
