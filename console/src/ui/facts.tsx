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

/** A list of facts: names, and what is to be said of them. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}): ReactNode {
  return (
    <dl>
      {facts.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </dl>
  );
}
