import { initTRPC } from "@trpc/server";
import { z } from "zod";

const t = initTRPC.create();

export const router = t.router({
  greet: t.procedure.input(z.string()).query(({ input }) => `Hello, ${input}!`),
  add: t.procedure.input(z.array(z.number()))
    .mutation(({ input }) => input.reduce((sum, each) => sum + each, 0)),
  count: t.procedure.input(z.number()).subscription(
    async function* ({ input }) {
      for (let number = 1; number <= input; number++) yield number;
    },
  ),
});

export type Router = typeof router;
