import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isPassing, json, stream } from '../api/client.js';
import type { Run } from '../api/types.js';
import { wait } from '../lib/wait.js';
import { isOver } from '../runs/run-status.js';
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

/** The frames so far. After a lost connection the stream is read on after the last frame. */
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
    const read = async (): Promise<void> => {
      const path = `runs/${encodeURIComponent(runId)}/events`;
      for await (const { raw } of stream(path, { query: { protocol: wire, after: known.length }, signal })) {
        known.push(raw);
        timer ??= setTimeout(show, 50);
      }
    };
    const readAll = async (): Promise<void> => {
      let isRead = false;
      for (let ended = false; !ended && !signal.aborted;) {
        try {
          if (!isRead) await read();
          isRead = true;
          const { status } = await json<Run>(`api/v1/runs/${encodeURIComponent(runId)}`, { signal });
          ended = isOver(status);
          if (ended) return;
          // A server that stops has ended the stream, with frames that are not of the run: all are read again.
          await wait(1000, signal);
          known.length = 0;
          isRead = false;
        } catch (error) {
          if (signal.aborted) return;
          ended = !isPassing(error);
          if (ended) setError(error);
          else await wait(1000, signal);
        }
      }
    };
    void readAll();
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [runId, wire]);
  return { frames, error };
}
