import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { json, urlOf } from '../api/client.js';
import { messageOf } from '../lib/format.js';
import type { Image } from './wire.js';

/** As many as a message may have on every wire. */
const MOST_IMAGES = 3;
const SUGGESTIONS = [
  'What is the weather in Paris?',
  'Add lunch to my calendar tomorrow at noon',
  'What is the browser time?',
];

interface Props {
  readonly isBusy: boolean;
  readonly isEmpty: boolean;
  readonly onSend: (text: string, images: readonly Image[]) => void;
  readonly onStop: () => void;
}

interface Uploaded {
  readonly url: string;
  readonly mimeType: string;
}

/** The form for a message: text and images. Enter sends, Shift and Enter begins a line. */
export function Composer({ isBusy, isEmpty, onSend, onStop }: Props): ReactNode {
  const [text, setText] = useState('');
  const [images, setImages] = useState<readonly Image[]>([]);
  const [problem, setProblem] = useState<string>();
  const files = useRef<HTMLInputElement>(null);
  const canSend = !isBusy && (text.trim() !== '' || images.length > 0);
  const send = (): void => {
    if (!canSend) return;
    onSend(text.trim(), images);
    setText('');
    setImages([]);
  };
  const add = (chosen: readonly File[]): void => {
    setProblem(undefined);
    Promise.all(chosen.slice(0, MOST_IMAGES - images.length).map(upload)).then(
      (added) => setImages((known) => [...known, ...added].slice(0, MOST_IMAGES)),
      (error: unknown) => setProblem(messageOf(error)),
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onPaste = ({ clipboardData }: ClipboardEvent): void => {
    const pasted = [...clipboardData.files].filter(({ type }) => type.startsWith('image/'));
    if (pasted.length > 0) add(pasted);
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {isEmpty && (
        <div className="suggestions">
          {SUGGESTIONS.map((suggestion) => (
            <button key={suggestion} type="button" onClick={() => onSend(suggestion, [])}>
              {suggestion}
            </button>
          ))}
        </div>
      )}
      {problem !== undefined && (
        <p role="alert" className="notice error">
          {problem}
        </p>
      )}
      {images.length > 0 && (
        <ul className="thumbnails">
          {images.map(({ url }, index) => (
            <li key={url}>
              <img src={url} alt={`Image ${index + 1}`} />
              <button
                type="button"
                aria-label={`Remove image ${index + 1}`}
                onClick={() => setImages(images.filter((one) => one.url !== url))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
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
        <button type="button" disabled={images.length >= MOST_IMAGES} onClick={() => files.current?.click()}>
          Add images
        </button>
        {isBusy ? (
          <button type="button" onClick={onStop}>
            Stop
          </button>
        ) : (
          <button type="submit" className="primary" disabled={!canSend}>
            Send
          </button>
        )}
      </div>
    </form>
  );
}

/** Uploads an image. The address works wherever the console does. */
async function upload(file: File): Promise<Image> {
  const body = new FormData();
  body.append('file', file);
  const { url, mimeType } = await json<Uploaded>('api/v1/agent/attachments', { body, acting: true });
  return { url: urlOf(url).href, mimeType };
}
