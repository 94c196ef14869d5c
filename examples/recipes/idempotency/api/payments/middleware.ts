import { requireIdempotencyKey } from "../../idempotency.ts";

export default requireIdempotencyKey;
