import { HttpError } from "@bough/framework";
import { RPCHandler } from "@orpc/server/fetch";
import { router } from "@/orpc.ts";

const rpc = new RPCHandler(router);

export async function POST(request: Request): Promise<Response> {
  const { response } = await rpc.handle(request, { prefix: "/api/orpc" });
  if (response === undefined) throw new HttpError(404);
  return response;
}
