import type { ReactNode } from 'react';
import { wordOf } from './outcome-words.js';

export { askedState, outcomeWord, spanState, stateOf, stateOfLast } from './outcome-words.js';

/** The word for a state, as a badge. */
export function Outcome({ state }: { readonly state: string }): ReactNode {
  const { word, tone } = wordOf(state);
  return <span className={`badge ${tone} ${state}`}>{word}</span>;
}
