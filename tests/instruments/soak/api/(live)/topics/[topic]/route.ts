import type { FrameworkRequest, Handler } from "@bough/framework";
import { events } from "@bough/framework/live";
import { z } from "zod";
import { open } from "../../../../live.ts";
import { PlannedError } from "../../../../planned_error.ts";
import { create, follow, publish, remove } from "../../../../topics.ts";

type Path = "/topics/[topic]";

/** A text that causes an error, which ends the stream. */
const FAILING = "fail";

export const schema = {
  get: { events: { text: z.strictObject({ text: z.string() }) } },
  post: { body: z.strictObject({ text: z.string() }) },
};

/** Streams the texts of a topic, after the last event ID of the client. */
export function GET(
  request: FrameworkRequest<typeof schema.get, Path>,
): Response {
  return events(request, async function* ({ lastEventId, signal }) {
    open.streams++;
    try {
      let id = Number(lastEventId ?? 0);
      const texts = follow(request.params.topic, { seen: id, signal });
      for await (const text of texts) {
        if (text === FAILING) throw new PlannedError();
        yield { event: "text", id: ++id, data: { text } };
      }
    } finally {
      open.streams--;
    }
  });
}

export const PUT: Handler<Path> = ({ params }) => {
  create(params.topic);
  return new Response(null, { status: 204 });
};

export function POST(
  { params, validated }: FrameworkRequest<typeof schema.post, Path>,
): Response {
  publish(params.topic, validated.body.text);
  return new Response(null, { status: 204 });
}

export const DELETE: Handler<Path> = ({ params }) => {
  remove(params.topic);
  return new Response(null, { status: 204 });
};
