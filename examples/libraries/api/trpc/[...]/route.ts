import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { router } from "@/trpc.ts";

const handler = (req: Request): Promise<Response> =>
  fetchRequestHandler({ endpoint: "/api/trpc", req, router });

export { handler as GET, handler as POST };
