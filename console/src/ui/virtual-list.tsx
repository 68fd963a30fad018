import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';

interface Props {
  readonly count: number;
  readonly label: string;
  /** The height of a row before it is measured, in pixels. */
  readonly rowHeight: number;
  readonly row: (index: number) => ReactNode;
  /** Called when the end of the list comes into view. */
  readonly onEnd?: (() => void) | undefined;
  /** Called with the rows that are shown. */
  readonly onShown?: (first: number, last: number) => void;
}

/** A list of any length: only the rows that can be seen are in the page. */
export function VirtualList({ count, label, rowHeight, row, onEnd, onShown }: Props): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const items = rows.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    onShown?.(first, last);
    if (last >= count - 1 && count > 0) onEnd?.();
  });
  return (
    <div ref={box} className="virtual-box" tabIndex={0} role="region" aria-label={label}>
      <div className="virtual" role="list" style={{ height: rows.getTotalSize() }}>
        {items.map(({ key, index, start }) => (
          <div
            key={key}
            role="listitem"
            aria-setsize={count}
            aria-posinset={index + 1}
            data-index={index}
            ref={rows.measureElement}
            className="virtual-row"
            style={{ transform: `translateY(${start}px)` }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
