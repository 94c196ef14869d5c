import { contractTests } from "@bough/framework/testing";
import { app } from "./main.ts";
import { clearNotes } from "./notes.ts";

contractTests(app, { reset: clearNotes, runs: 20, strict: true });
