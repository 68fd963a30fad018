import { type ReactNode, useState } from 'react';
import type { Interrupt, InterruptAnswer } from '../api/types.js';
import { objectIn, pretty, time } from '../lib/format.js';
import { SchemaForm } from '../schema/schema-form.js';
import { defaultOf } from '../schema/schema-values.js';
import { ErrorNotice } from '../ui/error-notice.js';

interface Props {
  readonly interrupt: Interrupt;
  readonly onAnswer: (answer: InterruptAnswer) => void;
}

/** Asks a person for a decision, or for the value that an agent needs. */
export function InterruptForm({ interrupt, onAnswer }: Props): ReactNode {
  return interrupt.kind === 'approval' ? (
    <ApprovalForm interrupt={interrupt} onAnswer={onAnswer} />
  ) : (
    <InputForm interrupt={interrupt} onAnswer={onAnswer} />
  );
}

function ApprovalForm({ interrupt, onAnswer }: Props): ReactNode {
  const { id, toolName, arguments: given, mayEdit, message, reason, expiresAt } = interrupt;
  const original = pretty(given ?? {});
  const [text, setText] = useState(original);
  const [why, setWhy] = useState('');
  const edited = text === original ? undefined : objectIn(text);
  const isBroken = text !== original && edited === undefined;
  const decide = (approve: boolean): void =>
    onAnswer({ approve, ...(why && { reason: why }), ...(approve && edited && { arguments: edited }) });
  return (
    <form
      className="ask"
      aria-label={`Approval of ${toolName ?? 'a call'}`}
      onSubmit={(event) => event.preventDefault()}
    >
      <h2>
        May the agent call <code>{toolName}</code>?
      </h2>
      {message && <p>{message}</p>}
      {reason && reason !== message && <p className="muted">{reason}</p>}
      <label htmlFor={`args-${id}`}>{mayEdit ? 'Arguments (you may change them)' : 'Arguments'}</label>
      <textarea
        id={`args-${id}`}
        className="code"
        rows={Math.min(12, original.split('\n').length + 1)}
        spellCheck={false}
        readOnly={!mayEdit}
        aria-invalid={isBroken}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {isBroken && <ErrorNotice error="The arguments must be a JSON object." />}
      <label htmlFor={`why-${id}`}>Reason for a denial</label>
      <input id={`why-${id}`} maxLength={2000} value={why} onChange={({ target }) => setWhy(target.value)} />
      {expiresAt && <p className="muted">Expires {time(expiresAt)}</p>}
      <div className="row">
        <button type="button" className="primary" disabled={isBroken} onClick={() => decide(true)}>
          {edited ? 'Approve with changes' : 'Approve'}
        </button>
        <button type="button" onClick={() => decide(false)}>
          Deny
        </button>
      </div>
    </form>
  );
}

function InputForm({ interrupt, onAnswer }: Props): ReactNode {
  const { id, message, responseSchema, expiresAt } = interrupt;
  const schema = responseSchema ?? {};
  const [value, setValue] = useState<unknown>(() => defaultOf(schema));
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
      {expiresAt && <p className="muted">Expires {time(expiresAt)}</p>}
      <div className="row">
        <button type="submit" className="primary">
          Answer
        </button>
        <button type="button" onClick={() => onAnswer({ cancel: true })}>
          Nobody will answer
        </button>
      </div>
    </form>
  );
}
