import { type ReactNode, useState } from 'react';
import { isObject, pretty } from '../lib/format.js';
import { CopyButton } from './copy-button.js';

/** A tree with at most so many values is open when it appears; of larger ones, the first levels are. */
const OPEN_VALUES = 150;
const OPEN_LEVELS = 2;
/** How many entries of an object or array are shown before the person asks for more. */
const AT_ONCE = 100;
/** How many characters of a text are shown at first. */
const TEXT_AT_ONCE = 2000;

interface Props {
  readonly value: unknown;
  readonly label: string;
}

/** Any value as a tree whose parts fold, and which can be copied. Text that is JSON is shown as what it says. */
export function JsonTree({ value, label }: Props): ReactNode {
  const shown = parsed(value);
  const [folds, setFolds] = useState({ isOpen: sizeOf(shown) <= OPEN_VALUES, at: 0 });
  const isTree = isObject(shown) || Array.isArray(shown);
  const fold = (isOpen: boolean): void => setFolds({ isOpen, at: folds.at + 1 });
  return (
    <div className="tree">
      <div className="tree-tools">
        {isTree && (
          <>
            <button type="button" className="small" aria-label={`Unfold ${label}`} onClick={() => fold(true)}>
              Unfold
            </button>
            <button type="button" className="small" aria-label={`Fold ${label}`} onClick={() => fold(false)}>
              Fold
            </button>
          </>
        )}
        <CopyButton text={() => pretty(value)} label={label} />
      </div>
      <div className="tree-box" role="region" aria-label={label} tabIndex={0}>
        <Node key={folds.at} value={shown} level={0} isOpen={folds.isOpen} isFolded={folds.at > 0 && !folds.isOpen} />
      </div>
    </div>
  );
}

interface NodeProps {
  readonly name?: string;
  readonly value: unknown;
  readonly level: number;
  /** Whether all levels are open. */
  readonly isOpen: boolean;
  /** Whether none but the outermost is. */
  readonly isFolded: boolean;
}

function Node({ name, value, level, isOpen, isFolded }: NodeProps): ReactNode {
  const [open, setOpen] = useState(level === 0 || isOpen || (!isFolded && level < OPEN_LEVELS));
  const [most, setMost] = useState(AT_ONCE);
  const title = name === undefined ? null : <span className="tree-name">{name}: </span>;
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) {
    return (
      <div className="tree-leaf">
        {title}
        <Leaf value={value} />
      </div>
    );
  }
  const entries = Object.entries(value as object) as [string, unknown][];
  if (entries.length === 0) {
    return (
      <div className="tree-leaf">
        {title}
        <span className="muted">{isList ? '[ ] empty' : '{ } empty'}</span>
      </div>
    );
  }
  return (
    <details className="tree-node" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {title}
        <span className="muted">{summaryOf(entries.length, isList)}</span>
      </summary>
      {open && (
        <div className="tree-parts">
          {entries.slice(0, most).map(([key, one]) => (
            <Node key={key} name={key} value={one} level={level + 1} isOpen={isOpen} isFolded={isFolded} />
          ))}
          {entries.length > most && (
            <button type="button" className="small" onClick={() => setMost(most + AT_ONCE)}>
              {entries.length - most} more
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function Leaf({ value }: { readonly value: unknown }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== 'string') return <span className="tree-value">{String(value)}</span>;
  const isLong = value.length > TEXT_AT_ONCE;
  return (
    <>
      <span className="tree-text">{isLong && !isWhole ? `${value.slice(0, TEXT_AT_ONCE)}…` : value || '""'}</span>
      {isLong && (
        <button type="button" className="small" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Less' : `All ${value.length.toLocaleString()} characters`}
        </button>
      )}
    </>
  );
}

function summaryOf(count: number, isList: boolean): string {
  const word = isList ? 'item' : 'field';
  return `${count.toLocaleString()} ${word}${count === 1 ? '' : 's'}`;
}

/** JSON text as its value. JavaScript would change long integers: such a text stays as it is. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || /\d{16}/.test(value)) return value;
  try {
    const read: unknown = JSON.parse(value);
    return isObject(read) || Array.isArray(read) ? read : value;
  } catch {
    return value;
  }
}

/** How many values a tree has, counted as far as it matters. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let size = 1;
  for (const one of Object.values(value) as unknown[]) {
    size += sizeOf(one);
    if (size > OPEN_VALUES) break;
  }
  return size;
}
