export { resolve } from "../windows.ts";
