import type { ReactNode } from 'react';

interface Props {
  readonly name: string;
  /** Whether it needs the space of two. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** One fact of a list of facts. */
export function Fact({ name, isWide = false, children }: Props): ReactNode {
  return (
    <div className={isWide ? 'wide' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
