import { type ReactNode, useState } from 'react';

interface Props {
  readonly label: string;
  /** What it is done to, for people who hear the page. */
  readonly object: string;
  readonly disabled?: boolean;
  readonly onConfirm: () => void;
}

/** A button for what cannot be taken back: it asks once more. */
export function ConfirmButton({ label, object, disabled, onConfirm }: Props): ReactNode {
  const [isAsking, ask] = useState(false);
  if (!isAsking)
    return (
      <button
        type="button"
        className="danger"
        aria-label={`${label} ${object}`}
        disabled={disabled}
        onClick={() => ask(true)}
      >
        {label}
      </button>
    );
  return (
    <span className="row" role="group" aria-label={`${label} ${object}?`}>
      <button
        type="button"
        className="danger"
        autoFocus
        onClick={() => {
          ask(false);
          onConfirm();
        }}
      >
        Yes, {label.toLowerCase()}
      </button>
      <button type="button" onClick={() => ask(false)}>
        No
      </button>
    </span>
  );
}
