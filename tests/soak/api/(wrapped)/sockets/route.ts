import type { FrameworkRequest } from "@bough/framework";
import { PlannedError } from "../../../planned_error.ts";

/** Echoes what it receives; fails after the upgrade, if the request says so. */
export function GET(request: FrameworkRequest): Response {
  const { socket, response } = Deno.upgradeWebSocket(request);
  socket.onmessage = ({ data }) => socket.send(data);
  if (request.url.endsWith("?fail=handler")) throw new PlannedError();
  return response;
}
