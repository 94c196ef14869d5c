import { os } from "@orpc/server";
import { z } from "zod";

export const router = {
  greet: os.input(z.string()).handler(({ input }) => `Hello, ${input}!`),
  count: os.input(z.number()).handler(async function* ({ input }) {
    for (let number = 1; number <= input; number++) yield number;
  }),
};
