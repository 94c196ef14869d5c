import type { FrameworkRequest } from "@bough/framework";
import { current } from "../../services.ts";

export async function GET(request: FrameworkRequest): Promise<Response> {
  return Response.json({ git: await current.get(request).job.version });
}
