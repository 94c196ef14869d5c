/** The path in the Location of an order. The application stores no orders. */
export const GET = (): Response => new Response(null, { status: 204 });
