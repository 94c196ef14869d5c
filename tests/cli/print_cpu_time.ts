/** A preload that prints the processor time of its process, in seconds, as the last line. */
import process from "node:process";

globalThis.addEventListener("unload", () => {
  const { user, system } = process.cpuUsage();
  console.log((user + system) / 1e6);
});
