import { openapi } from "@bough/framework/openapi";
import { z } from "zod";
import type { TestModule } from "../support/application.ts";
import { type Rows, testRows } from "./documents.ts";
import { changesOf, get } from "./support.ts";

const TICK = z.object({ n: z.int() });

const events = (events: Record<string, z.ZodType>) => get({ events });
const socket = (receive: z.ZodType, send: z.ZodType) =>
  get({ socket: { receive, send } });

const ROWS: Rows<TestModule> = {
  "an event may have a new member": [
    events({ tick: TICK }),
    events({ tick: TICK.extend({ m: z.int() }) }),
  ],
  "the data of an event may not change their type": [
    events({ tick: TICK }),
    events({ tick: z.object({ n: z.string() }) }),
    "breaking 200 body#/*/data/n all",
  ],
  "a new event breaks typed clients": [
    events({ tick: TICK }),
    events({ tick: TICK, tock: TICK }),
    "breaking 200 body#/*/event typed",
  ],
  "an event may be removed": [
    events({ tick: TICK, tock: TICK }),
    events({ tick: TICK }),
  ],
  "a stream may not be removed": [
    events({ tick: TICK }),
    get({}),
    "breaking 200 text/event-stream all",
  ],
  "a socket may not receive fewer messages": [
    socket(z.string().max(9), TICK),
    socket(z.string().max(5), TICK),
    "breaking socket.receive# all",
  ],
  "a socket may receive more messages, and send fewer": [
    socket(z.string().max(5), z.int()),
    socket(z.string().max(9), z.int().max(9)),
  ],
  "a socket may not send other messages": [
    socket(z.string(), TICK),
    socket(z.string(), z.object({ m: z.int() })),
    "breaking socket.send#/n all",
  ],
  "the schemas of a socket may not be removed": [
    socket(z.string(), TICK),
    get({}),
    "breaking socket.receive all",
    "breaking socket.send all",
    "breaking 101 all",
    "breaking 200 typed",
  ],
};

const info = { title: "", version: "1" };

for (const openapiVersion of ["3.1", "3.2"] as const) {
  const rows = Object.entries(ROWS)
    .map(([name, row]) => [`${name}, in OpenAPI ${openapiVersion}`, row]);
  testRows<TestModule>(Object.fromEntries(rows), async (before, after) => {
    const found = await changesOf(
      { "route.ts": before },
      { "route.ts": after },
      { plugins: [openapi({ info, openapiVersion })] },
    );
    return found.map(({ verdict, place, clients }) =>
      `${verdict} ${place} ${clients}`
    );
  });
}
