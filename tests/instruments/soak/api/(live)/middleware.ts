export { guard as default } from "../../live.ts";
