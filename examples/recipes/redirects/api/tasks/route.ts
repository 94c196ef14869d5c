import { redirect } from "../../redirect.ts";

export function GET(): Response {
  return Response.json(["1"]);
}

/** Leads a form's browser to what it made: 303 makes a GET of it. */
export function POST(): Response {
  return redirect("/api/tasks/1", 303);
}
