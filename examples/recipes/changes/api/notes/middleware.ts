import { preconditions } from "@bough/framework/protect";

/** Declares the headers and statuses of versions; a change must name a version. */
export default preconditions({ required: true });
