import type { FrameworkRequest } from "@bough/framework";

export function GET(request: FrameworkRequest): Response {
  const { socket, response } = Deno.upgradeWebSocket(request);
  socket.onmessage = ({ data }) => socket.send(data);
  return response;
}
