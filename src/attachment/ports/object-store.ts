/** Where the bytes are. Paths have `/` between their parts and are made by the server alone. */
export abstract class ObjectStore {
  /** Keeps the bytes, whole or not at all. */
  abstract put(path: string, bytes: Buffer, mimeType: string): Promise<void>;

  /** The bytes, or undefined when there are none. */
  abstract get(path: string): Promise<Buffer | undefined>;

  /** Deletes them; none is no error. */
  abstract remove(path: string): Promise<void>;
}
