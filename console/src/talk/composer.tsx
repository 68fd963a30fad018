import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { json, urlOf } from '../api/client.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Lack } from '../ui/lack.js';
import { Thumbnails } from './thumbnails.js';
import type { Image } from './wire.js';

/** As many as a message may have on every wire. */
const MOST_IMAGES = 3;

interface Props {
  /** The user that images are uploaded for; undefined if the credential determines it. */
  readonly user: string | undefined;
  readonly hasImages: boolean;
  readonly isBusy: boolean;
  /** Why the person may not send; undefined if they may. */
  readonly lack: string | undefined;
  /** Why the person may not stop the run; undefined if they may. */
  readonly stopLack: string | undefined;
  readonly onSend: (text: string, images: readonly Image[]) => void;
  readonly onStop: () => void;
}

interface Uploaded {
  readonly url: string;
  readonly mimeType: string;
}

/** The form for a message: text and images. Press Enter to send, Shift+Enter for a new line. */
export function Composer({ user, hasImages, isBusy, lack, stopLack, onSend, onStop }: Props): ReactNode {
  const [text, setText] = useState('');
  const [images, setImages] = useState<readonly Image[]>([]);
  const [uploads, setUploads] = useState(0);
  const [error, setError] = useState<unknown>();
  const files = useRef<HTMLInputElement>(null);
  const canSend =
    lack === undefined && !isBusy && uploads === 0 && (text.trim() !== '' || (hasImages && images.length > 0));
  const send = (): void => {
    if (!canSend) return;
    onSend(text.trim(), hasImages ? images : []);
    setText('');
    setImages([]);
  };
  const add = (chosen: readonly File[]): void => {
    setError(undefined);
    const taken = chosen.slice(0, Math.max(0, MOST_IMAGES - images.length - uploads));
    setUploads((count) => count + taken.length);
    Promise.all(taken.map((file) => upload(file, user)))
      .then((added) => setImages((known) => [...known, ...added].slice(0, MOST_IMAGES)), setError)
      .finally(() => setUploads((count) => count - taken.length));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onPaste = ({ clipboardData }: ClipboardEvent): void => {
    const pasted = [...clipboardData.files].filter(({ type }) => type.startsWith('image/'));
    if (hasImages && pasted.length > 0) add(pasted);
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <ErrorNotice error={error} />
      {hasImages && images.length > 0 && (
        <Thumbnails images={images} onRemove={(url) => setImages(images.filter((one) => one.url !== url))} />
      )}
      {hasImages && uploads > 0 && (
        <p role="status" className="muted">
          Uploading {uploads === 1 ? 'an image' : `${uploads} images`} …
        </p>
      )}
      <label htmlFor="message" className="visually-hidden">
        Message
      </label>
      <textarea
        id="message"
        rows={2}
        value={text}
        placeholder="Write a message"
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div className="composer-buttons">
        <input
          ref={files}
          type="file"
          accept="image/*"
          multiple
          hidden
          aria-label="Images"
          onChange={({ target }) => {
            add([...(target.files ?? [])]);
            target.value = '';
          }}
        />
        <button
          type="button"
          disabled={lack !== undefined || !hasImages || images.length + uploads >= MOST_IMAGES}
          onClick={() => files.current?.click()}
        >
          Add images
        </button>
        {isBusy ? (
          <button
            type="button"
            disabled={stopLack !== undefined}
            aria-describedby={stopLack && 'lack-send'}
            onClick={onStop}
          >
            Stop
          </button>
        ) : (
          <button type="submit" className="primary" disabled={!canSend} aria-describedby={lack && 'lack-send'}>
            Send
          </button>
        )}
      </div>
      <Lack id="lack-send" why={(isBusy ? stopLack : undefined) ?? lack} />
    </form>
  );
}

/** Uploads an image. The address works wherever the console does. */
async function upload(file: File, user: string | undefined): Promise<Image> {
  const body = new FormData();
  body.append('file', file);
  const { url, mimeType } = await json<Uploaded>('api/v1/agent/attachments', { body, user });
  return { url: urlOf(url).href, mimeType };
}
