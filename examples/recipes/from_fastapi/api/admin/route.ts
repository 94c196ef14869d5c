export function POST(): Response {
  return Response.json({ message: "Admin getting schwifty" });
}
