/** A frame of a stack, as V8 recorded it. */
export interface Frame {
  /** The name of the function; `null` for top-level code and nameless functions. */
  readonly functionName: string | null;
  /** The URL of the module; `null` for native functions and `eval()`. */
  readonly fileName: string | null;
  readonly lineNumber: number | null;
  readonly columnNumber: number | null;
  readonly isAsync: boolean;
  readonly isConstructor: boolean;
}

/**
 * Returns the frames of an error, innermost first; none for another value.
 *
 * All code that reads a stack calls this function. The text in `error.stack` begins with
 * the message, in which a client can imitate frames:
 * `BigInt("1\n    at x (file:///etc/passwd:1:1)")`. Apart from that text, only this inner
 * function of Deno has the frames; on hosts without it, there are none.
 */
export function framesOf(error: unknown): readonly Frame[] {
  try {
    const { core } = Reflect.get(Deno, Reflect.get(Deno, "internal"));
    const { frames }: { frames: Frame[] } = core.destructureError(error);
    // Deno adds its own frame to an error that has none, such as a clone.
    return frames.filter(({ fileName }) => !fileName?.startsWith("ext:core/"));
  } catch {
    return [];
  }
}
