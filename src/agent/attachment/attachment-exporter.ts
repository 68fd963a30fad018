import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import {
  type ColumnValue,
  type ExportedRow,
  integer,
  OF_USER,
  time,
  type UserExport,
  type UserExporter,
  type UserTable,
} from '../../data-protection/index.js';
import { referenceOf } from './attachment-reference.js';
import type { SignedUrl } from './attachment.types.js';
import { SignedUrls } from './signed-urls.js';

const BINDINGS: UserTable = {
  kind: 'attachmentBindings',
  from: `attachment_bindings b JOIN attachments a ON a.id = b.attachment_id
    LEFT JOIN sessions s ON s.no = b.session_no AND s.tenant_id = a.tenant_id AND s.user_id = a.user_id`,
  where: 'a.tenant_id = ? AND a.user_id = ?',
  key: ['b.attachment_id', 'b.session_no'],
  // Sessions of others are not named.
  members: { attachmentId: 'b.attachment_id', sessionId: 's.id' },
};

/** Where the attachments of a user are stored: references name the paths. */
export const ATTACHMENT_PATHS: UserTable = {
  kind: 'attachments',
  from: 'attachments',
  where: OF_USER,
  key: ['created_at', 'id'],
  members: { path: 'path' },
  page: 1000,
};

/** The attachments of a user, each with a new signed URL of its content. */
@Injectable()
export class AttachmentExporter implements UserExporter {
  constructor(private readonly urls: SignedUrls) {}

  async *exportUser({ user, list }: UserExport): AsyncGenerator<ExportedRow, void, void> {
    yield* list(this.attachmentsOf(user));
    yield* list(BINDINGS);
  }

  private attachmentsOf(user: Principal): UserTable {
    const { tenantId } = user;
    const signed = (path: ColumnValue): SignedUrl | undefined => this.urls.signStored({ tenantId, path: String(path) });
    return {
      kind: 'attachments',
      from: 'attachments',
      where: OF_USER,
      key: ['created_at', 'id'],
      members: {
        attachmentId: 'id',
        filename: 'filename',
        mimeType: 'mime_type',
        size: ['size', integer],
        sha256: 'sha256',
        width: ['width', integer],
        height: ['height', integer],
        createdAt: ['created_at', time],
        deleteAfter: ['delete_after', time],
        reference: ['path', (path) => JSON.stringify(referenceOf(String(path)))],
        url: ['path', (path) => JSON.stringify(signed(path)?.url ?? null)],
        urlExpiresAt: ['path', (path, row) => time(signed(path)?.expiresAt ?? null, row, user)],
      },
      leftOut: ['tenant_id', 'user_id'],
    };
  }
}
