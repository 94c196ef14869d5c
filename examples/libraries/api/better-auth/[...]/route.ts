import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";

const auth = betterAuth({
  baseURL: "http://localhost:8000",
  basePath: "/api/better-auth",
  secret: Deno.env.get("AUTH_SECRET") ?? crypto.randomUUID(),
  database: memoryAdapter({
    user: [],
    session: [],
    account: [],
    verification: [],
  }),
  emailAndPassword: { enabled: true },
});

export const GET = auth.handler;
export const POST = auth.handler;
