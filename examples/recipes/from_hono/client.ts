import type { Client } from "@bough/framework/client";

/** In your application, `bough types` writes this map. */
export interface Routes {
  "hello/route.ts": typeof import("./api/hello/route.ts");
  "posts/middleware.ts": typeof import("./api/posts/middleware.ts");
  "posts/route.ts": typeof import("./api/posts/route.ts");
  "posts/[id]/route.ts": typeof import("./api/posts/[id]/route.ts");
  "sse/route.ts": typeof import("./api/sse/route.ts");
  "todo/route.ts": typeof import("./api/todo/route.ts");
}

/** `client.posts.$post({ json })`, then `client.posts[":id"].$get({ param })`. */
export async function publish(
  api: Client<Routes>,
  title: string,
  authorization: string,
): Promise<string> {
  const created = await api.POST("/posts", {
    body: { title, body: "Hono is a cool project" },
    headers: { authorization },
  });
  if (created.status !== 201) return `not published: ${created.status}`;
  const params = { id: created.data.id };
  const result = await api.GET("/posts/[id]", { params });
  if (result.status === 200) return result.data.post.title;
  return result.problem?.title ?? "unknown"; // 404: Problem
}
