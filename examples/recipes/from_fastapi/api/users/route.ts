export function GET(): Response {
  return Response.json([{ username: "Rick" }, { username: "Morty" }]);
}
