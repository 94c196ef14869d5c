/** Contract tests of operations under `idempotent()`. */
import { Framework, type FrameworkRequest, HttpError } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import {
  idempotent,
  memoryStore,
  type ProtectionStore,
} from "@bough/framework/protect";
import type { ContractReport } from "@bough/framework/testing";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { assertSilent, checkFast, found } from "./support.ts";

const Payment = z.object({ id: z.int(), cents: z.int() });
const post = {
  body: z.object({ cents: z.int().min(1).max(1_000_000) }),
  response: { 201: Payment },
};
const get = {
  params: z.object({ id: z.coerce.number().pipe(z.int().min(0)) }),
  response: { 200: Payment, 404: Problem },
};

async function check(
  required: boolean,
  faults: Partial<ProtectionStore> = {},
  headers?: z.ZodType,
): Promise<ContractReport> {
  return await checkFast(() => {
    const payments: z.infer<typeof Payment>[] = [];
    const store = { ...memoryStore(), ...faults };
    return new Framework({
      manifest: {
        "middleware.ts": { default: idempotent({ store, required }) },
        "payments/route.ts": {
          schema: {
            post: { ...post, ...headers && { headers } },
            get: { response: z.array(Payment) },
          },
          GET: () => Response.json(payments),
          POST: ({ validated }: FrameworkRequest<typeof post>) => {
            const payment = { ...validated.body, id: payments.length };
            payments.push(payment);
            return Response.json(payment, { status: 201 });
          },
        },
        "payments/[id]/route.ts": {
          schema: { get },
          GET: ({ validated }: FrameworkRequest<typeof get>) => {
            const payment = payments[validated.params.id];
            if (payment === undefined) throw new HttpError(404);
            return Response.json(payment);
          },
        },
      },
    });
  }, { seed: 1, runs: 60 });
}

for (const required of [true, false]) {
  Deno.test(`nothing is found in payments whose key is ${required ? "required" : "optional"}`, async () => {
    const report = await check(required);
    assertSilent(report);
    const repeats = report.results.find(({ property, operation }) =>
      property === "repeats" && operation === "POST /api/payments"
    );
    assert(repeats!.runs > 0);
  });
}

Deno.test("nothing is found in payments whose key has a refinement", async () => {
  const key = z.string().refine((text) => text.length > 0);
  assertSilent(await check(true, {}, z.object({ "idempotency-key": key })));
});

Deno.test("a store that forgets keys is found", async () => {
  const claim = () => ({ state: "claimed" }) as const;
  const report = await check(true, { claim, finish: () => true });
  assertEquals(found(report), ["repeats POST /api/payments"]);
});
