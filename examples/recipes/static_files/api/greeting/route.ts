/** The page asks for this greeting. */
export function GET(): Response {
  return Response.json({ greeting: "Hello!" });
}
