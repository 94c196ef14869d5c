/** A wildcard takes one segment or more: `/` itself needs a route of its own. */
export { GET } from "./[...]/route.ts";
