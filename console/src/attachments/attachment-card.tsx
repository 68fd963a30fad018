import type { ReactNode } from 'react';
import type { Attachment } from '../api/types.js';
import { bytes, time } from '../lib/format.js';
import { shownAt } from '../ui/image-address.js';

interface Props {
  readonly attachment: Attachment;
  readonly onPreview: () => void;
}

/** An image in small, with what is known of it. */
export function AttachmentCard({ attachment, onPreview }: Props): ReactNode {
  const { filename, mimeType, size, width, height, userId, createdAt, deleteAfter, url } = attachment;
  const address = shownAt(url);
  return (
    <li className="panel">
      <button type="button" className="thumbnail" aria-label={`Show ${filename}`} onClick={onPreview}>
        <img src={address} alt="" loading="lazy" />
      </button>
      <h2>{filename}</h2>
      <p className="muted">
        {mimeType}, {width} × {height}, {bytes(size)}
      </p>
      <p className="muted">
        {userId} · {time(createdAt)}
      </p>
      {deleteAfter !== null && <p className="muted">No message refers to it. Deleted after {time(deleteAfter)}.</p>}
      <a className="button" href={address} download={filename} aria-label={`Download ${filename}`}>
        Download
      </a>
    </li>
  );
}
