import { type Database, isSealedFile, objectPlace, type Rewritten, UnreadableContent } from '../../database/index.js';
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
export async function sealObjects(database: Database, objects: ObjectStore): Promise<number> {
  return rewriteObjects(database, objects, async (path, bytes, tenantId) => {
    if (isSealedFile(bytes)) return undefined;
    const seal = await database.content.of(tenantId);
    return seal.bytes(objectPlace(path), bytes);
  });
}

/**
 * Decrypts the bytes of all attachments that are encrypted, as `sealObjects` encrypts them. What cannot be decrypted stays.
 *
 * @throws as `sealObjects`
 */
export async function openObjects(database: Database, objects: ObjectStore): Promise<Rewritten> {
  let unreadable = 0;
  const rows = await rewriteObjects(database, objects, async (path, bytes) => {
    if (!isSealedFile(bytes)) return undefined;
    try {
      return await database.content.bytes(objectPlace(path), bytes);
    } catch (error) {
      if (!(error instanceof UnreadableContent)) throw error;
      unreadable += 1;
      return undefined;
    }
  });
  return { rows, unreadable };
}

/** @param rewrite undefined: it stays as it is */
async function rewriteObjects(
  { read }: Database,
  objects: ObjectStore,
  rewrite: (path: string, bytes: Buffer, tenantId: string) => Promise<Buffer | undefined>,
): Promise<number> {
  let rewritten = 0;
  let last = '';
  for (;;) {
    const rows = await read.all<AttachmentRow>(ATTACHMENTS, [last]);
    for (const { id, tenant_id: tenantId, path, mime_type: mimeType } of rows) {
      last = id;
      const bytes = await objects.get(path);
      const changed = bytes && (await rewrite(path, bytes, tenantId));
      if (!changed) continue;
      await objects.put(path, changed, mimeType, tenantId);
      // Removed meanwhile: nobody else would remove what was just written.
      if ((await read.all(IS_KEPT, [id])).length === 0) await objects.remove(path);
      rewritten += 1;
    }
    if (rows.length < PAGE) return rewritten;
  }
}
