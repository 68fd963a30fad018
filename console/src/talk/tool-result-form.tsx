import { type ReactNode, useState } from 'react';
import { useLack } from '../access/rights.js';
import { Json } from '../ui/json.js';
import type { PendingCall } from './live-run.js';

interface Props {
  readonly call: PendingCall;
  readonly onResult: (output: string) => void;
}

/** Lets the person write the result of a call of a tool of this page. */
export function ToolResultForm({ call: { callId, name, args }, onResult }: Props): ReactNode {
  const [output, setOutput] = useState('');
  const lack = useLack('runs:write');
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
      <button type="submit" className="primary" disabled={lack !== undefined} title={lack}>
        Return the result
      </button>
    </form>
  );
}
