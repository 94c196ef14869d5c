/** Exports the application of functions that the next command inspects. */
import { TestApplication, type TestModule } from "../support/application.ts";

/** The exports of files by path below `api/`. */
export type Files = Readonly<Record<string, TestModule>>;
type Options = Parameters<typeof TestApplication.of>[1];

let current = TestApplication.of({});

/** Chooses the application of the next command. */
export function setApp(files: Files, options?: Options): void {
  current = TestApplication.of(files, options);
}

export function createApp(): TestApplication["app"] {
  return current.app;
}
