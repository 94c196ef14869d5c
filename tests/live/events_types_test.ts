import { assertType, type IsExact } from "@std/testing/types";
import type {
  FolderContract,
  FrameworkRequest,
  WithContracts,
} from "@bough/framework";
import { type EventOf, events } from "@bough/framework/live";
import { z } from "zod";

const schema = {
  get: {
    events: {
      status: z.object({ at: z.date(), text: z.string() }),
      message: z.string(),
      done: z.null(),
    },
  },
};
const contract = {
  headers: z.object({ "x-tenant": z.string() }),
} satisfies FolderContract;

Deno.test("events have the types that the method declares (behaviour 11.2)", () => {
  type Get = typeof schema.get;
  type Sent = EventOf<Get>;
  assertType<
    IsExact<Sent["event"], "status" | "done" | "message" | undefined>
  >(true);
  assertType<
    IsExact<
      EventOf<WithContracts<typeof contract, Get>>["event"],
      Sent["event"]
    >
  >(true);
  assertType<IsExact<EventOf<"/users/[id]">["event"], string | undefined>>(
    true,
  );

  function all(
    plain: FrameworkRequest,
    byPath: FrameworkRequest<"/users/[id]">,
    bySchema: FrameworkRequest<Get>,
    byBoth: FrameworkRequest<Get, "/users/[id]">,
    below: FrameworkRequest<WithContracts<typeof contract, Get>, "/users/[id]">,
  ): void {
    const text = "a";
    for (const untyped of [plain, byPath]) {
      events(untyped, async function* () {
        yield { event: "any", data: 1n, id: 1, retry: 5, comment: "c" };
      });
    }
    for (const request of [bySchema, byBoth, below]) {
      events(request, async function* ({ lastEventId, signal }) {
        assertType<IsExact<typeof lastEventId, string | undefined>>(true);
        assertType<IsExact<typeof signal, AbortSignal>>(true);
        yield { event: "status", id: 1, data: { at: new Date(), text } };
        yield { event: "status", data: { at: "2026-01-31T12:00:00Z", text } };
        yield { event: "done", data: null };
        yield { data: "a message needs no name" };
        yield { event: "message", data: "but may have it" };
        yield { id: "checkpoint" };
      });
      // @ts-expect-error It is not declared.
      events(request, async function* () {
        yield { event: "other", data: null };
      });
      // @ts-expect-error Its data have another type.
      events(request, async function* () {
        yield { event: "status", data: { at: 5, text } };
      });
      // @ts-expect-error It has no data.
      events(request, async function* () {
        yield { event: "done" };
      });
      // @ts-expect-error A message is a string here.
      events(request, async function* () {
        yield { data: 5 };
      });
    }
  }
  assertType<IsExact<typeof all, never>>(false); // It is checked, but never run.
});
