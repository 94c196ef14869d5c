export function GET(): Response {
  return Response.json(["water the trees"]);
}
