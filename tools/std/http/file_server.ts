import * as http from "npm:deno-std@1.2.0/http/file_server.js";

export interface ServeFileOptions {
  etagAlgorithm?: AlgorithmIdentifier;
  fileInfo?: Deno.FileInfo;
}

export const serveFile: (
  request: Request,
  filePath: string,
  options?: ServeFileOptions,
) => Promise<Response> = http.serveFile;
