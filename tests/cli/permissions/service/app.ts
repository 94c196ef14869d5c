import { Framework } from "@bough/framework";
import { current, type Services } from "./services.ts";

/** Creates the application; without services, only for inspection. */
export function createApp(services?: Services): Framework {
  return new Framework({
    apiDir: new URL("./api/", import.meta.url),
    // The tests use other folders, and pass the secret and the mail server.
    permissions: {
      read: ["data", new URL("./uploads/", import.meta.url)],
      write: ["data", new URL("./uploads/", import.meta.url).href],
      env: ["JWT_SECRET", "MAIL_SERVER"],
      net: ["mail.example:25"],
    },
    middleware: [(request, next) => {
      if (services !== undefined) current.set(request, services);
      return next();
    }],
  });
}
