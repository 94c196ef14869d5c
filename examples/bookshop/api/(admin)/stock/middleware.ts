import { preconditions } from "@bough/framework/protect";

/** A stock count can name the version of its book; see the route. */
export default preconditions();
