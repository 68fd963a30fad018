import { type ReactNode, useEffect, useRef } from 'react';
import { EntryView } from './entry-view.js';
import type { Entry } from './transcript.js';

/** How far from the end the person may be for the view to stay there, in pixels. */
const NEAR_END = 40;

/** The entries of a conversation. The view stays at the end while the person is there, whatever grows. */
export function EntryList({ entries }: { readonly entries: readonly Entry[] }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const follow = new ResizeObserver(() => {
      if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
    });
    if (box.current) follow.observe(box.current);
    if (content.current) follow.observe(content.current);
    return () => follow.disconnect();
  }, []);
  return (
    <div
      ref={box}
      className="entries"
      role="log"
      aria-label="Messages"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
      }}
    >
      <div ref={content} className="entries-content">
        {entries.map((entry) => (
          <EntryView key={entry.id} entry={entry} />
        ))}
      </div>
    </div>
  );
}
