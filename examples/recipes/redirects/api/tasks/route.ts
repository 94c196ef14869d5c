import { redirect } from "../../redirect.ts";

export function GET(): Response {
  return Response.json(["1"]);
}

/** Redirects a form to the created task: after 303, the browser sends a GET. */
export function POST(): Response {
  return redirect("/api/tasks/1", 303);
}
