import { type ReactNode, useState } from 'react';
import { Json } from '../ui/json.js';
import type { PendingCall } from './live-run.js';

interface Props {
  readonly call: PendingCall;
  /** Why the person may not return a result; undefined if they may. */
  readonly lack: string | undefined;
  readonly onResult: (output: string) => void;
}

/** Lets the person write the result of a call of a tool of this page. */
export function ToolResultForm({ call: { callId, name, args }, lack, onResult }: Props): ReactNode {
  const [output, setOutput] = useState('');
  const id = `result-${callId}`;
  return (
    <form
      className="ask"
      aria-label={`Result of ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        onResult(output);
      }}
    >
      <h2>
        The agent calls <code>{name}</code>
      </h2>
      <Json value={args} label={`Arguments of ${name}`} />
      <label htmlFor={id}>Result</label>
      <textarea id={id} rows={2} required value={output} onChange={({ target }) => setOutput(target.value)} />
      <button type="submit" className="primary" disabled={lack !== undefined} aria-describedby={lack && 'lack-send'}>
        Return the result
      </button>
    </form>
  );
}
