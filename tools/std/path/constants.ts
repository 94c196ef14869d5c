import * as path from "npm:deno-std@1.2.0/path/constants.js";

export const SEPARATOR: "/" | "\\" = path.SEPARATOR;
