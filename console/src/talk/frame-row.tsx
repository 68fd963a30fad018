import { type ReactNode, useMemo, useState } from 'react';
import { frameTitle } from './frame-title.js';

interface Props {
  readonly raw: string;
  /** From 1. */
  readonly number: number;
}

/** One frame in one line; opened, as it was sent. */
export function FrameRow({ raw, number }: Props): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { type, rest } = useMemo(() => frameTitle(raw), [raw]);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className="seq">{number}</span> <strong>{type}</strong> <span className="rest">{rest}</span>
      </summary>
      {isOpen && <pre>{raw}</pre>}
    </details>
  );
}
