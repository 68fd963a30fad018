/** The bytes of attachments. Only the server chooses paths; their parts are separated by `/`. */
export abstract class ObjectStore {
  /** Stores the bytes of a tenant, completely or not at all. */
  abstract put(path: string, bytes: Buffer, mimeType: string, tenantId: string): Promise<void>;

  /** The bytes; undefined when there is no object with this path. */
  abstract get(path: string): Promise<Buffer | undefined>;

  /** Deletes the object, if there is one. */
  abstract remove(path: string): Promise<void>;
}
