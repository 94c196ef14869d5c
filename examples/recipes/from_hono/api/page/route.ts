import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { html } from "hono/html";
import { z } from "zod";

export const schema = {
  get: { query: z.object({ name: z.string().max(50).default("Hono") }) },
} satisfies RouteSchema;

/** `c.html()`: the helper escapes the name. */
export async function GET(
  request: FrameworkRequest<typeof schema.get>,
): Promise<Response> {
  const { name } = request.validated.query;
  const page = await html`
    <!DOCTYPE html>
    <html lang="en">
      <title>Page</title>
      <h1>Hello ${name}!</h1>
    </html>
  `;
  return new Response(page, {
    headers: { "content-type": "text/html; charset=utf-8" },
  });
}
