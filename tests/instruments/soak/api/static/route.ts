export function GET(): Response {
  return new Response("as ever");
}
