import type { Handler } from "@bough/framework";

export const GET: Handler<"/users/[id]"> = ({ params }) =>
  Response.json({ id: params.id });

export const PUT: Handler = async (request) =>
  Response.json(await request.json());

export const DELETE: Handler = () => new Response(null, { status: 204 });
