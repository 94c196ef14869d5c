import { BackgroundQueue } from "./background_queue.ts";

/** The queue of this application. */
export const background = new BackgroundQueue({
  limit: 1_000,
  concurrency: 4,
  grace: 8_000, // `shutdownTimeout` is 10 s
});
