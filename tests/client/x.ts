import { createClient } from "@bough/framework/client";
import { z } from "zod";
const schema = {
  get: { events: { count: z.int() } },
  post: {
    body: z.object({ text: z.string() }),
    events: { message: z.string() },
  },
};
const m = {
  "c/[id]/route.ts": {
    schema,
    GET: () => new Response(),
    POST: () => new Response(),
  },
  "d/route.ts": { schema: { post: schema.post }, POST: () => new Response() },
  "e/route.ts": { GET: () => new Response() },
};
const api = createClient<typeof m>();
const a = api.events("/c/[id]", { params: { id: "1" } });
export const a0: never = (await a.next()).value;
const b = api.events("/c/[id]", {
  method: "POST",
  params: { id: "1" },
  body: { text: "1" },
});
export const b0: never = (await b.next()).value;
const c = api.events("/d", { method: "POST", body: { text: "1" } });
export const c0: never = (await c.next()).value;
api.events("/d", { body: { text: "1" } });
api.events("/d", { method: "GET", body: { text: "1" } });
api.events("/d");
api.events("/e");
api.events("/c/[id]", { method: "POST", params: { id: "1" } });
api.events("/c/[id]", {
  method: "POST",
  params: { id: "1" },
  body: { texd: "" },
});
api.events("/c/[id]", { method: "PUT", params: { id: "1" } });
api.events("/c/[id]", { params: { ids: "1" } });
api.events("/c/[id]", { params: { id: "1" }, body: { text: "" } });
api.events("/c/[id]");
