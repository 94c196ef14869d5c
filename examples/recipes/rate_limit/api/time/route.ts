export function GET(): Response {
  return Response.json({ time: new Date() });
}
