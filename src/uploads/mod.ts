/**
 * Uploads of any size: forms and files that stream under a schema.
 *
 * @module
 */
export {
  file,
  type FileOptions,
  type FileRule,
  type FileSchema,
  type Size,
  type StreamedFile,
} from "./file.ts";
export {
  type FileSchemas,
  form,
  type FormFile,
  type FormInput,
  type FormOptions,
  type StreamedForm,
} from "./form.ts";
export * from "./folder.ts";
export type {
  FormEncoding,
  StreamedSchema,
} from "../core/schema/check_request.ts";
