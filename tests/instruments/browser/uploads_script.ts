/// <reference lib="dom" />
/** The script of the page of `uploads_page.ts`. */
import { createClient, fetchWithProgress } from "@bough/framework/client";
import type { schema } from "./uploads_page.ts";

const progress: number[] = [];
const create = (fetch?: (request: Request) => Promise<Response>) =>
  createClient<
    { "uploads/route.ts": { schema: typeof schema; POST: () => Response } }
  >(
    fetch === undefined ? {} : { fetch },
  );
const clients = {
  fetch: create(),
  xhr: create(fetchWithProgress(({ sent, total }) => {
    progress.push(sent / total);
  })),
};

const covers = await (await fetch("/api/covers")).json() as string[];
document.querySelector("ul")!.innerHTML = covers.map((path) =>
  `<li><img src="/api/covers/${path}" width="40" alt="${path}"></li>`
).join("");

Object.assign(globalThis, {
  async send(kind: "fetch" | "xhr", size = 0): Promise<unknown> {
    const { files } = document.querySelector("input")!;
    const cover = size > 0
      ? [new File([new Uint8Array(size)], "a.svg", { type: "image/svg+xml" })]
      : [...files!];
    progress.length = 0;
    const { status, data } = await clients[kind].POST("/uploads", {
      body: { cover, title: "Emma" },
    });
    return { status, data, progress };
  },
});
document.title = "ready";
