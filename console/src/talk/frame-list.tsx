import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { live } from '../api/client.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { FrameRow } from './frame-row.js';

interface Props {
  readonly runId: string;
  readonly wire: string;
  readonly title: string;
}

/** The frames of a run on one wire, as they are sent. Only those that can be seen are in the page. */
export function FrameList({ runId, wire, title }: Props): ReactNode {
  const { frames, error } = useFrames(runId, wire);
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: frames.length,
    getScrollElement: () => box.current,
    estimateSize: () => 28,
    overscan: 10,
  });
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current && frames.length > 0) rows.scrollToIndex(frames.length - 1);
  }, [frames.length, rows]);
  return (
    <section className="frame-list" aria-label={`Frames of ${title}`}>
      <h2>
        {title} <span className="muted">{frames.length}</span>
      </h2>
      <ErrorNotice error={error} />
      <div
        ref={box}
        className="frame-box"
        tabIndex={0}
        role="region"
        aria-label={`Frames of ${title}, in order`}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 60;
        }}
      >
        <div className="virtual" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ key, index, start }) => (
            <div
              key={key}
              data-index={index}
              ref={rows.measureElement}
              className="frame"
              style={{ transform: `translateY(${start}px)` }}
            >
              <FrameRow raw={frames[index] ?? ''} number={index + 1} />
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}

/** The frames so far; after a lost connection the stream continues by itself. */
function useFrames(runId: string, wire: string): { readonly frames: readonly string[]; readonly error: unknown } {
  const [frames, setFrames] = useState<readonly string[]>([]);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const aborter = new AbortController();
    const { signal } = aborter;
    const known: string[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      timer = undefined;
      setFrames([...known]);
    };
    const follow = async (): Promise<void> => {
      for await (const { frame } of live().watch(runId, { wire, signal })) {
        known.push(frame.trimEnd());
        timer ??= setTimeout(show, 50);
      }
    };
    follow().catch((error: unknown) => {
      if (!signal.aborted) setError(error);
    });
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [runId, wire]);
  return { frames, error };
}
