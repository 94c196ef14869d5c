import { Auth, type AuthConfig } from "@auth/core";
import Credentials from "@auth/core/providers/credentials";

const config: AuthConfig = {
  basePath: "/api/auth-js",
  secret: Deno.env.get("AUTH_SECRET") ?? crypto.randomUUID(),
  trustHost: true,
  providers: [Credentials({
    credentials: { password: {} },
    authorize: ({ password }) => password === "secret" ? { name: "Ada" } : null,
  })],
};

const handler = (request: Request): Promise<Response> => Auth(request, config);

export { handler as GET, handler as POST };
