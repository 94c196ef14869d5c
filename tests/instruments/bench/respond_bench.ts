import { respond } from "@bough/framework";
import { z } from "zod";
import * as v from "valibot";
const B = z.object({ id: z.number(), title: z.string() });
const schema = {
  get: { response: B },
  post: {
    response: { 201: { body: B, headers: z.object({ location: z.string() }) } },
  },
  put: { response: v.object({ id: v.number(), title: v.string() }) },
};
const b = { id: 1, title: "Emma" };
Deno.bench("Response.json", { group: "a", baseline: true }, () => {
  Response.json(b);
});
Deno.bench("respond", { group: "a" }, () => {
  respond(schema.get, 200, b);
});
Deno.bench("respond valibot", { group: "a" }, () => {
  respond(schema.put, 200, b);
});
Deno.bench("Response.json 201", { group: "b", baseline: true }, () => {
  Response.json(b, { status: 201, headers: { location: "/a" } });
});
Deno.bench("respond 201", { group: "b" }, () => {
  respond(schema.post, 201, b, { headers: { location: "/a" } });
});
