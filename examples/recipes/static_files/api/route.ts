/** A wildcard matches at least one segment, so `/` needs its own route. */
export { GET } from "./[...]/route.ts";
