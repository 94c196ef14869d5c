/** A service for members: `JWT_SECRET=… MAIL_SERVER=mail.example:25 deno task start`. */
import { createApp } from "./app.ts";
import { Services } from "./services.ts";

export { createApp };

if (import.meta.main) {
  const secret = Deno.env.get("JWT_SECRET");
  const mailServer = Deno.env.get("MAIL_SERVER");
  if (!secret || !mailServer) throw new Error("Set JWT_SECRET and MAIL_SERVER");
  await Deno.mkdir("data", { recursive: true });
  await using services = await Services.open({
    database: "data/service.db",
    uploads: "uploads",
    secret,
    mailServer,
  });
  const server = await createApp(services).serve({ env: true });
  await server.finished;
}
