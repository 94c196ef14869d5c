import { allAuthors } from "../../store/authors.ts";

export function GET(): Response {
  return Response.json(allAuthors());
}
