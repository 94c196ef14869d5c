/** A fault to plant in a copy of an application of this repository. */
export interface PlantedFault {
  /** The fault, as a fragment of a sentence. */
  readonly name: string;
  /** The file with the fault, below the folder of the application. */
  readonly file: string;
  /** A text that occurs once in the file; `""` for a new file. */
  readonly find: string;
  /** The text that stands there instead. */
  readonly replace: string;
}

/** Faults by the part of an application that they are in. */
export type FaultsByKind = Readonly<
  Partial<Record<"identity" | "live" | "other", readonly PlantedFault[]>>
>;
