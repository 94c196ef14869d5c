/**
 * The programs of FastAPI's tutorial, as one application. In this folder:
 * `deno run --allow-read=. --allow-write=heroes.db --allow-net --allow-env=PORT,HOST,JWT_SECRET main.ts`
 */
import { errorResponse, Framework, type Middleware } from "@bough/framework";
import { files } from "@bough/framework/files";
import { honoMiddleware } from "@bough/framework/hono";
import { openapi } from "@bough/framework/openapi";
import { cors } from "hono/cors";
import { HeroStore, heroStore } from "./heroes.ts";
import { addUser, setSecret } from "./users.ts";

/** The pages that may call the API, also with cookies. */
const ORIGINS = ["http://localhost", "http://localhost:8080"];

/** Reports how long a request took. */
const addProcessTime: Middleware = async (request, next) => {
  const start = performance.now();
  const response = await next().catch((error) => errorResponse(error, request));
  const seconds = (performance.now() - start) / 1000;
  response.headers.set("x-process-time", String(seconds));
  return response;
};

/** Makes the application; tests give it heroes in memory. */
export function createApp(heroes = new HeroStore(":memory:")): Framework {
  return new Framework({
    apiDir: new URL("./api/", import.meta.url),
    apiPrefix: "",
    middleware: [
      addProcessTime,
      honoMiddleware(cors({ origin: ORIGINS, credentials: true })),
      (request, next) => {
        heroStore.set(request, heroes);
        return next();
      },
    ],
    trustedOrigins: ORIGINS,
    plugins: [
      files({ dir: new URL("./static/", import.meta.url), at: "/static" }),
      openapi({
        info: { title: "ChimichangApp", version: "0.0.1" },
        tags: [{ name: "items", description: "Manage items." }],
        securitySchemes: {
          OAuth2PasswordBearer: {
            type: "oauth2",
            flows: { password: { tokenUrl: "token", scopes: {} } },
          },
          "X-Token": { type: "apiKey", in: "header", name: "x-token" },
        },
      }),
    ],
  });
}

export const app = createApp();

if (import.meta.main) {
  setSecret(Deno.env.get("JWT_SECRET") ?? "");
  const password = crypto.randomUUID();
  await addUser({ username: "johndoe", disabled: false }, password);
  console.log(`Sign in as "johndoe" with the password ${password}`);
  using heroes = new HeroStore("heroes.db");
  const server = await createApp(heroes).serve({ env: true });
  await server.finished;
}
