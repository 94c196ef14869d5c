export { fromFileUrl } from "../windows.ts";
