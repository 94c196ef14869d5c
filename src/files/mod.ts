/**
 * Downloads with ranges, and folders of static files, such as a built frontend.
 *
 * @module
 */
export {
  type FileResponses,
  fileResponses,
  sendFile,
  type SendFileOptions,
} from "./send_file.ts";
export { files, type FilesOptions } from "./plugin.ts";
export type { FilePart, FileSource, ReadableSource } from "./source.ts";
