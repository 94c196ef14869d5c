/** All code that only a type checker can test, in one run of the type checker. */
import { checkTogether } from "./compiler.ts";
import { DEEP_TYPES } from "./deep_types.ts";
import { HANDLER_PATHS } from "./handler_paths.ts";
import { LIVE_TYPES } from "./live_types.ts";
import { REFUSED_CALLS } from "./refused_calls.ts";
import { SHOWN_CODE } from "./shown_code.ts";
import { STANDALONE_BODIES } from "./standalone_bodies.ts";
import { STANDALONE_KINDS } from "./standalone_kinds.ts";
import { STANDALONE_TYPES } from "./standalone_types.ts";

const SUBJECTS = {
  ...DEEP_TYPES,
  ...HANDLER_PATHS,
  ...LIVE_TYPES,
  ...REFUSED_CALLS,
  ...SHOWN_CODE,
  ...STANDALONE_BODIES,
  ...STANDALONE_KINDS,
  ...STANDALONE_TYPES,
};

let results: ReturnType<typeof checkTogether> | undefined;

for (const name of Object.keys(SUBJECTS)) {
  Deno.test(name, async () => {
    results ??= checkTogether(SUBJECTS);
    (await results).get(name)!();
  });
}
