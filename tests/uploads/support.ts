import { Framework, type FrameworkRequest } from "@bough/framework";
import {
  file,
  form,
  type SavedFile,
  UploadFolder,
} from "@bough/framework/uploads";
import { z } from "zod";
import { TestServer } from "../support/application.ts";

/** A server with a form and a plain body, which it saves in a folder. */
export class UploadServer extends TestServer {
  readonly folder: string;

  private constructor(folder: string, server: TestServer["server"]) {
    super(server);
    this.folder = folder;
  }

  static async open(
    options?: Parameters<typeof uploadApplication>[1],
  ): Promise<UploadServer> {
    const folder = await Deno.makeTempDir({ prefix: "uploads_" });
    const app = await uploadApplication(folder, options);
    return new UploadServer(folder, (await TestServer.start(app)).server);
  }

  get files(): string[] {
    return filesIn(this.folder);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** The names in an `UploadFolder`, sorted, and those of its unfinished files. */
export function filesIn(folder: string): string[] {
  const namesIn = (path: string) =>
    [...Deno.readDirSync(path)].map(({ name }) => name);
  return namesIn(folder).flatMap((name) =>
    name === ".unfinished"
      ? namesIn(`${folder}/${name}`).map((file) => `${name}/${file}`)
      : name
  ).sort();
}

/** Small limits, so that small bodies exceed them. */
export async function uploadApplication(
  path: string,
  { bodyTimeout = 10_000, pause = 10_000, maxSize = 100_000 } = {},
): Promise<Framework> {
  const folder = await UploadFolder.open(path);
  const schema = {
    post: {
      body: form({
        fields: z.object({ title: z.string(), note: z.string().optional() }),
        files: {
          photo: file({ maxSize, types: ["image/*"], count: [1, 3] }),
          text: file({ maxSize: 10, types: ["text/plain"], count: [0, 1] }),
        },
        pause,
      }),
    },
    put: { body: file({ maxSize, types: ["video/mp4"], pause }) },
  };
  return new Framework({
    bodyTimeout,
    manifest: {
      "files/route.ts": {
        schema,
        async POST(request: FrameworkRequest<typeof schema.post>) {
          const { fields, files } = request.validated.body;
          await using saving = folder.begin();
          const names = [];
          for await (const each of files) {
            const { name, size } = await saving.save(each);
            names.push({
              field: each.field,
              sent: each.name,
              type: each.type,
              name,
              size,
            });
          }
          const saved: SavedFile[] = await saving.commit();
          return Response.json({ ...fields, count: saved.length, names }, {
            status: 201,
          });
        },
        async PUT(request: FrameworkRequest<typeof schema.put>) {
          await using saving = folder.begin();
          const { size, name } = await saving.save(request.validated.body);
          await saving.commit();
          return Response.json({ size, name });
        },
      },
      "health/route.ts": { GET: () => new Response("up") },
    },
  });
}
