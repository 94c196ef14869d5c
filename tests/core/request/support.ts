/** The methods of a request that read its body. */
export const READERS = [
  "json",
  "text",
  "bytes",
  "arrayBuffer",
  "blob",
  "formData",
] as const;

export type Reader = typeof READERS[number];
