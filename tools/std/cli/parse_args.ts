import * as cli from "npm:deno-std@1.2.0/cli/parse_args.js";

export const parseArgs: (
  args: string[],
  options?: {
    boolean?: readonly string[];
    collect?: readonly string[];
    string?: readonly string[];
    alias?: Readonly<Record<string, string>>;
    unknown?: (arg: string, key?: string, value?: unknown) => unknown;
  },
) => { _: (string | number)[]; [name: string]: unknown } = cli.parseArgs;
