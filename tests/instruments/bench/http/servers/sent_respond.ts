/** Bough, with `respond()`. */
import { respond } from "@bough/framework";
import { serveSending } from "./sending.ts";

await serveSending((schema, value) => respond(schema.get, 200, value));
