export function GET(): Response {
  return Response.json({ message: "Hello Bigger Applications!" });
}
