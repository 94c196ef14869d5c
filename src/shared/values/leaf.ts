/** The values of a schema without structure. */
export interface LeafValues<Value, Plain = Iterable<Value>> {
  /** Valid values that a person would write, best first. */
  readonly plain: Plain;
  /**
   * Values at the limits, and values that programs often mishandle, most valuable first.
   * The schema itself decides which of these values are valid.
   */
  readonly edges: readonly Value[];
  /** Values just beyond the limits; hardly any of them is valid. */
  readonly wrong: readonly Value[];
}
