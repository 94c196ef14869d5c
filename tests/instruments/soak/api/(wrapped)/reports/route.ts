import { z } from "zod";

export const schema = {
  post: { body: z.record(z.string(), z.array(z.string())) },
};

export const POST = (): Response => new Response("It fits.");
