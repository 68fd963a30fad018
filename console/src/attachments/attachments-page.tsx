import { type ReactNode, useState } from 'react';
import type { Attachment } from '../api/types.js';
import { usePages } from '../lib/use-pages.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { ShownCount } from '../ui/shown-count.js';
import { AttachmentCard } from './attachment-card.js';
import { Preview } from './preview.js';

/** The uploaded images, newest first. */
export function AttachmentsPage(): ReactNode {
  const { rows, error, isLoading, hasMore, more, retry } = usePages<Attachment>('api/v1/attachments', { limit: 48 });
  const [shown, show] = useState<Attachment>();
  return (
    <div className="page">
      <header>
        <h1>Attachments</h1>
        <ShownCount {...{ rows, isLoading, hasMore, error }} />
      </header>
      <ErrorNotice error={error} onRetry={retry} />
      {!isLoading && rows.length === 0 && !error && (
        <p className="empty">No attachments yet. Images that you send in Talk appear here.</p>
      )}
      <ul className="gallery" aria-label="Attachments, newest first">
        {rows.map((attachment) => (
          <AttachmentCard key={attachment.id} attachment={attachment} onPreview={() => show(attachment)} />
        ))}
      </ul>
      {hasMore && (
        <button type="button" onClick={more}>
          Earlier attachments
        </button>
      )}
      {shown && <Preview attachment={shown} onClose={() => show(undefined)} />}
    </div>
  );
}
