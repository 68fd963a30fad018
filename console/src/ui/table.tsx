import type { ReactNode } from 'react';

interface Props {
  /** The name of the table for screen readers. */
  readonly label: string;
  /** The headings of the columns. An empty one is that of a column of buttons. */
  readonly titles: readonly string[];
  /** The rows. */
  readonly children: ReactNode;
}

/** A table with headings. It scrolls by itself where the page is narrow. */
export function Table({ label, titles, children }: Props): ReactNode {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title || <span className="visually-hidden">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
