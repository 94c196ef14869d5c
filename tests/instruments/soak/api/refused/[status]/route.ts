import { type FrameworkRequest, HttpError } from "@bough/framework";

export function GET(request: FrameworkRequest<"/refused/[status]">): Response {
  const { status } = request.params;
  throw new HttpError(Number(status), `Refused with ${status}`, {
    headers: { "retry-after": "60" },
    since: "today",
  });
}
