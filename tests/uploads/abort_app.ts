/** Serves the uploads of a folder: `abort_app.ts <folder> <shutdownTimeout>`. */
import { uploadApplication } from "./support.ts";

const [folder, timeout] = Deno.args;
const app = await uploadApplication(folder!, { maxSize: 1e9 });
await app.serve({
  port: 0,
  hostname: "127.0.0.1",
  shutdownTimeout: Number(timeout),
  onListen: ({ port }) => console.log(port),
});
