/** A fault to plant in a copy of an application of this repository. */
export interface PlantedFault {
  /** The fault, as a fragment of a sentence. */
  readonly name: string;
  /** The part of an application that the fault is in. */
  readonly kind: "identity" | "live" | "other";
  /** The file with the fault, below the folder of the application. */
  readonly file: string;
  /** A text that occurs once in the file. */
  readonly find: string;
  /** The text that stands there instead. */
  readonly replace: string;
}
