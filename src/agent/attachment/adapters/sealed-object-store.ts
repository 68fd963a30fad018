import { type ContentSeals, objectPlace } from '../../../database/index.js';
import { ObjectStore } from '../ports/object-store.js';

/** Objects that are encrypted before another store gets them. What it has from before is read as it is. */
export class SealedObjectStore extends ObjectStore {
  constructor(
    private readonly objects: ObjectStore,
    private readonly content: ContentSeals,
  ) {
    super();
  }

  async put(path: string, bytes: Buffer, mimeType: string, tenantId: string): Promise<void> {
    const seal = await this.content.of(tenantId);
    await this.objects.put(path, seal.bytes(objectPlace(path), bytes), mimeType, tenantId);
  }

  /** @throws UnreadableContent */
  async get(path: string): Promise<Buffer | undefined> {
    const stored = await this.objects.get(path);
    return stored && this.content.bytes(objectPlace(path), stored);
  }

  remove(path: string): Promise<void> {
    return this.objects.remove(path);
  }
}
