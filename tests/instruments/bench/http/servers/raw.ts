/** Trusts every body: the theoretical limit. */
import { serveByHand, TRUSTING } from "./by_hand.ts";

serveByHand(TRUSTING);
