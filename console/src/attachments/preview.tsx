import { type ReactNode, useEffect, useRef } from 'react';
import type { Attachment } from '../api/types.js';
import { shownAt } from '../ui/image-address.js';

interface Props {
  readonly attachment: Attachment;
  readonly onClose: () => void;
}

/** An image in full, above the page. Escape closes it. */
export function Preview({ attachment: { filename, url }, onClose }: Props): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="preview" aria-label={filename} onClose={onClose}>
      <img src={shownAt(url)} alt={filename} />
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
