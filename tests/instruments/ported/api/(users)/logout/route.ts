import { store } from "../../../model.ts";

export function POST({ headers }: Request): Response {
  store.tokens.delete(headers.get("authorization")!.slice("Bearer ".length));
  return new Response(null, { status: 204 });
}
