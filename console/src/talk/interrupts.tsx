import { type ReactNode, useState } from 'react';
import type { Interrupt, InterruptAnswer } from '../api/types.js';
import { InterruptForm } from '../inbox/interrupt-form.js';
import type { AnswerTo } from './wire.js';

interface Props {
  readonly interrupts: readonly Interrupt[];
  /** Whether the answers are on their way. */
  readonly isBusy: boolean;
  readonly onAnswers: (answers: readonly AnswerTo[]) => void;
}

/** What waits for the person. All of it is answered at once, because the run goes on only then. */
export function Interrupts({ interrupts, isBusy, onAnswers }: Props): ReactNode {
  const [answers, setAnswers] = useState<ReadonlyMap<string, AnswerTo>>(new Map());
  const answer = ({ id, kind }: Interrupt, given: InterruptAnswer): void => {
    const next = new Map(answers).set(id, { interruptId: id, kind, ...given });
    if (next.size < interrupts.length) return setAnswers(next);
    // They are asked for again if they cannot be given.
    setAnswers(new Map());
    onAnswers([...next.values()]);
  };
  const left = interrupts.filter(({ id }) => !answers.has(id));
  return (
    <div className="asks">
      {answers.size > 0 && (
        <p className="muted" role="status">
          {answers.size} of {interrupts.length} decided. The run goes on once all are.
        </p>
      )}
      {left.map((interrupt) => (
        <InterruptForm
          key={interrupt.id}
          interrupt={interrupt}
          isBusy={isBusy}
          onAnswer={(given) => answer(interrupt, given)}
        />
      ))}
    </div>
  );
}
