import { UploadFolder } from "@bough/framework/uploads";

let folder: UploadFolder;

/** Opens the folder of the uploads, and removes incomplete files after a crash. */
export async function openFolder(path: string): Promise<void> {
  folder = await UploadFolder.open(path);
}

/** The folder. The names of its files are our ids, never names that clients choose. */
export function uploads(): UploadFolder {
  return folder;
}
