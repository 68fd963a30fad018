import { type ReactNode, useState } from 'react';
import type { Interrupt, InterruptAnswer } from '../api/types.js';
import { objectIn, pretty, sentence } from '../lib/format.js';
import { SchemaForm } from '../schema/schema-form.js';
import { defaultOf } from '../schema/schema-values.js';
import { Json } from '../ui/json.js';
import { Lack } from '../ui/lack.js';
import { ErrorNotice } from '../ui/error-notice.js';

interface Props {
  readonly interrupt: Interrupt;
  /** Whether an answer is on its way. */
  readonly isBusy?: boolean;
  readonly onAnswer: (answer: InterruptAnswer) => void;
}

/** Asks a person for a decision, or for the value that an agent needs. */
export function InterruptForm(props: Props): ReactNode {
  return props.interrupt.kind === 'approval' ? <ApprovalForm {...props} /> : <InputForm {...props} />;
}

function ApprovalForm({ interrupt, isBusy = false, onAnswer }: Props): ReactNode {
  // Its message only repeats the question.
  const { id, toolName, arguments: given, mayEdit, reason, refusal } = interrupt;
  const original = pretty(given ?? {});
  const [text, setText] = useState(original);
  const [why, setWhy] = useState('');
  const edited = text === original ? undefined : objectIn(text);
  const isBroken = text !== original && edited === undefined;
  const isOff = refusal !== null || isBusy;
  const decide = (approve: boolean): void =>
    onAnswer({ approve, ...(why && !approve && { reason: why }), ...(approve && edited && { arguments: edited }) });
  return (
    <form
      className="ask"
      aria-label={`Approval of ${toolName ?? 'a call'}`}
      onSubmit={(event) => event.preventDefault()}
    >
      <h2>
        May the agent call <code>{toolName}</code>?
      </h2>
      {reason && <p>{reason}</p>}
      {mayEdit && refusal === null ? (
        <>
          <label htmlFor={`args-${id}`}>Arguments (you may change them)</label>
          <textarea
            id={`args-${id}`}
            className="code"
            rows={Math.min(12, original.split('\n').length + 1)}
            spellCheck={false}
            aria-invalid={isBroken}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </>
      ) : (
        <Json value={given ?? {}} label="Arguments" />
      )}
      {isBroken && <ErrorNotice error="The arguments must be a JSON object." />}
      <div className="ask-acts">
        <button
          type="button"
          className="primary"
          disabled={isBroken || isOff}
          aria-describedby={refusal === null ? undefined : `lack-${id}`}
          onClick={() => decide(true)}
        >
          {edited ? 'Approve with changes' : 'Approve'}
        </button>
        <button type="button" disabled={isOff} onClick={() => decide(false)}>
          Deny
        </button>
        <input
          aria-label="Reason for a denial"
          placeholder="Reason, if you deny it"
          maxLength={2000}
          disabled={isOff}
          value={why}
          onChange={({ target }) => setWhy(target.value)}
        />
      </div>
      <Lack id={`lack-${id}`} why={lackOf(refusal)} />
    </form>
  );
}

function InputForm({ interrupt, isBusy = false, onAnswer }: Props): ReactNode {
  const { id, message, responseSchema, refusal } = interrupt;
  const schema = responseSchema ?? {};
  const [value, setValue] = useState<unknown>(() => defaultOf(schema));
  const isOff = refusal !== null || isBusy;
  return (
    <form
      className="ask"
      aria-label="Question"
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ payload: value });
      }}
    >
      <h2>{message ?? 'The agent asks'}</h2>
      <SchemaForm id={id} schema={schema} value={value} label="Answer" onChange={setValue} isRequired />
      <div className="row">
        <button
          type="submit"
          className="primary"
          disabled={isOff}
          aria-describedby={refusal === null ? undefined : `lack-${id}`}
        >
          Answer
        </button>
        <button type="button" disabled={isOff} onClick={() => onAnswer({ cancel: true })}>
          Nobody will answer
        </button>
      </div>
      <Lack id={`lack-${id}`} why={lackOf(refusal)} />
    </form>
  );
}

/** What the server says of a caller that may not answer. */
function lackOf(refusal: string | null): string | undefined {
  return refusal === null ? undefined : `You cannot answer this: ${sentence(refusal)}`;
}
