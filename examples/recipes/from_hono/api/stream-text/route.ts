/** `streamText()`. */
export function GET(): Response {
  const lines = ReadableStream.from(["Hello\n", "Bough!"]);
  return new Response(lines.pipeThrough(new TextEncoderStream()), {
    headers: { "content-type": "text/plain; charset=utf-8" },
  });
}
