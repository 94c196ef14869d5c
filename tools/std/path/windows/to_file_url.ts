export { toFileUrl } from "../windows.ts";
