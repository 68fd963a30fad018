import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react';

const LEAST = 20;
const MOST = 80;
const STEP = 5;

interface Props {
  readonly label: string;
  /** The share of the part behind it, in percent. */
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** A bar between two parts of a page that makes one of them wider, with the pointer or with the arrow keys. */
export function Splitter({ label, value, onChange }: Props): ReactNode {
  const bar = useRef<HTMLDivElement>(null);
  const set = (next: number): void => onChange(Math.round(Math.min(MOST, Math.max(LEAST, next))));
  const onPointerMove = ({ clientX, pointerId }: PointerEvent): void => {
    const box = bar.current?.parentElement?.getBoundingClientRect();
    if (box && bar.current?.hasPointerCapture(pointerId)) set(((box.right - clientX) / box.width) * 100);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: STEP, ArrowRight: -STEP, Home: MOST, End: -MOST };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(value + step);
  };
  return (
    <div
      ref={bar}
      className="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      tabIndex={0}
      onPointerDown={({ pointerId }) => bar.current?.setPointerCapture(pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
    />
  );
}
