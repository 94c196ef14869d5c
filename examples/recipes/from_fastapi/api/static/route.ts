export { GET, schema } from "./[...]/route.ts"; // a wildcard needs a segment
