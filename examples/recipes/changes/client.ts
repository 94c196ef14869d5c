import { type Client, createClient } from "@bough/framework/client";

/** In your application, `bough types` writes this map. */
export interface Routes {
  "notes/route.ts": typeof import("./api/notes/route.ts");
  "notes/[name]/route.ts": typeof import("./api/notes/[name]/route.ts");
}

/** Creates a client of the notes. */
export function createNotesClient(baseUrl: string): Client<Routes> {
  return createClient<Routes>({ baseUrl });
}

/** Adds a tag; tries again if another client changes the note meanwhile. */
export async function addTag(
  api: Client<Routes>,
  params: { readonly name: string },
  tag: string,
): Promise<boolean> {
  const note = await api.GET("/notes/[name]", { params });
  if (note.status !== 200) return false;
  const { status } = await api.PATCH("/notes/[name]", {
    params,
    type: "application/merge-patch+json",
    body: { tags: [...note.data.tags ?? [], tag] },
    headers: { "if-match": note.response.headers.get("etag") ?? "" },
  });
  return status === 412 ? await addTag(api, params, tag) : status === 200;
}
