/** A wildcard matches at least one segment, so `/` needs its own route. */
export { GET, schema } from "./[...]/route.ts";
