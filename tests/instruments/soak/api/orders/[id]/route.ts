/** The path that the Location of an order names; no order is kept. */
export const GET = (): Response => new Response(null, { status: 204 });
