import type { FrameworkRequest } from "@bough/framework";

export async function POST(request: FrameworkRequest): Promise<Response> {
  const bodies = await Promise.all([
    request.text(),
    request.clone().text(),
    request.json().then((value) => JSON.stringify(value)),
    request.bytes().then((bytes) => new TextDecoder().decode(bytes)),
  ]);
  return Response.json(bodies);
}
