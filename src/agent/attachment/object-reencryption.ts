import { type Database, isSealedFile, objectPlace } from '../../database/index.js';
import type { ObjectStore } from './ports/object-store.js';

const PAGE = 100;
const ATTACHMENTS = `
  SELECT id, tenant_id, path, mime_type FROM attachments WHERE id > ? ORDER BY id LIMIT ${PAGE}`;
const IS_KEPT = 'SELECT 1 AS yes FROM attachments WHERE id = ?';

interface AttachmentRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly path: string;
  readonly mime_type: string;
}

/**
 * Encrypts the bytes of all attachments that were stored unencrypted, next to servers that are running. It may be stopped
 * at any time and started again. Returns how many there were.
 *
 * @param objects which keeps bytes as it gets them
 * @throws the error of the database or of the object store
 */
export async function sealObjects({ content, read }: Database, objects: ObjectStore): Promise<number> {
  let sealed = 0;
  let last = '';
  for (;;) {
    const rows = await read.all<AttachmentRow>(ATTACHMENTS, [last]);
    for (const { id, tenant_id: tenantId, path, mime_type: mimeType } of rows) {
      last = id;
      const bytes = await objects.get(path);
      if (!bytes || isSealedFile(bytes)) continue;
      const seal = await content.of(tenantId);
      await objects.put(path, seal.bytes(objectPlace(path), bytes), mimeType, tenantId);
      // Removed meanwhile: nobody else would remove what was just written.
      if ((await read.all(IS_KEPT, [id])).length === 0) await objects.remove(path);
      sealed += 1;
    }
    if (rows.length < PAGE) return sealed;
  }
}
