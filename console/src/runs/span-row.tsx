import { type ReactNode, useId } from 'react';
import type { Span } from '../api/types.js';
import { count, duration } from '../lib/format.js';
import { Outcome, spanState } from '../ui/outcome.js';

interface Props {
  readonly span: Span;
  /** The time that the axis begins with. */
  readonly begin: number;
  readonly end: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** What is known of the span, shown while it is open. */
  readonly children: ReactNode;
}

/** The least width of a bar, in percent of the axis. */
const LEAST_WIDTH = 0.5;

/** States that the bar shows well enough. */
const PLAIN: ReadonlySet<string> = new Set(['completed', 'running']);

/** One span of a timeline: what, when and how long, with its tokens. It opens and closes. */
export function SpanRow({ span, begin, end, isOpen, onToggle, children }: Props): ReactNode {
  const { kind, name, status, usage, parentId } = span;
  const state = spanState(span);
  const panel = useId();
  const from = Date.parse(span.startedAt);
  const to = span.endedAt === null ? end : Date.parse(span.endedAt);
  const whole = end - begin;
  const left = Math.min(((from - begin) / whole) * 100, 100 - LEAST_WIDTH);
  const width = Math.min(Math.max(LEAST_WIDTH, ((to - from) / whole) * 100), 100 - left);
  const took = span.endedAt === null ? 'in progress' : kind === 'recovery' ? undefined : duration(to - from);
  const facts = [took, usage && `${count(usage.totalTokens)} tokens`].filter(Boolean);
  return (
    <li className={parentId === null ? 'span-item' : 'span-item nested'}>
      <button type="button" className="span" aria-expanded={isOpen} aria-controls={panel} onClick={onToggle}>
        <span className="span-name">
          <span className={`kind ${kind}`}>{kind}</span>
          <span className="span-title">{name}</span>
          {!PLAIN.has(state) && <Outcome state={state} />}
        </span>
        <span className="span-track" aria-hidden="true">
          <span className={`span-bar ${kind} ${status}`} style={{ left: `${left}%`, width: `${width}%` }} />
        </span>
        <span className="span-time">
          <span className="span-facts">{facts.join(', ')}</span>{' '}
          <span className="muted">+{duration(from - begin)}</span>
        </span>
      </button>
      <div id={panel} hidden={!isOpen}>
        {isOpen && children}
      </div>
    </li>
  );
}
