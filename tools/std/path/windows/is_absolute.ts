export { isAbsolute } from "../windows.ts";
