export { default } from "../../wrapping.ts";
