import type { ReactNode } from 'react';
import { Picture } from '../ui/picture.js';
import type { Image } from './wire.js';

interface Props {
  readonly images: readonly Image[];
  readonly onRemove: (url: string) => void;
}

/** The images that go with the next message. */
export function Thumbnails({ images, onRemove }: Props): ReactNode {
  return (
    <ul className="thumbnails">
      {images.map(({ url }, index) => (
        <li key={url}>
          <Picture url={url} alt={`Image ${index + 1}`} />
          <button type="button" aria-label={`Remove image ${index + 1}`} onClick={() => onRemove(url)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
