/** Bough, with `Response.json()`. */
import { serveSending } from "./sending.ts";

await serveSending((_schema, value) => Response.json(value));
