/** Tells whether what the server cannot work without is there. Bound by the composition root. */
export abstract class ReadinessProbe {
  /** Resolves when the database answers. @throws the driver's error, which is not shown to anybody */
  abstract ping(): Promise<void>;
}
