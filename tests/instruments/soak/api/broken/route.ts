import { PlannedError } from "../../planned_error.ts";

export function GET(): Response {
  throw new PlannedError("As in any program that runs for long");
}
