import type { FrameworkRequest } from "@bough/framework";

export const config = { bodyLimit: 4 * 1024 * 1024 };

export async function POST(request: FrameworkRequest): Promise<Response> {
  const bytes = await request.bytes();
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Response.json({
    size: bytes.length,
    checksum: new Uint8Array(digest).toHex(),
  });
}
