/** Bough with the recorder of its inspector. */
import { Framework } from "@bough/framework";
import { observe } from "../../../../../src/core/framework.ts";
import { Recorder } from "../../../../../src/dev/inspector/recorder.ts";

const [port, apiDir] = Deno.args;
const app = new Framework({ apiDir: apiDir! });
observe(app, new Recorder({ secrets: [] }));
await app.serve({ port: Number(port), onListen: () => {} });
