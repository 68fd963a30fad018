import { type DynamicToolUIPart, getToolName, type ToolUIPart } from 'ai';
import type { JSX } from 'react';
import type { AgentChat } from './use-agent-chat.js';

type Call = ToolUIPart | DynamicToolUIPart;

const STATES: Readonly<Record<Call['state'], string>> = {
  'input-streaming': 'is being called',
  'input-available': 'runs',
  'approval-requested': 'needs your approval',
  'approval-responded': 'was decided',
  'output-available': 'done',
  'output-error': 'failed',
  'output-denied': 'denied',
};

/** A call of a tool: its arguments, what became of it, and two buttons if it waits for a decision. */
export function ToolCall({
  part,
  decide,
}: {
  readonly part: Call;
  /** Undefined while an answer comes: then nothing is decided. */
  readonly decide: AgentChat['decide'] | undefined;
}): JSX.Element {
  const name = getToolName(part);
  return (
    <section aria-label={`Tool ${name}`} className="tool">
      <p>
        <strong>{part.title ?? name}</strong> {STATES[part.state]}
      </p>
      {part.input !== undefined && <code>{JSON.stringify(part.input)}</code>}
      {part.state === 'approval-requested' && (
        <div role="group" aria-label={`Decide ${name}`} className="buttons">
          <button type="button" disabled={!decide} onClick={() => decide?.(part.approval.id, true)}>
            Approve
          </button>
          <button type="button" disabled={!decide} onClick={() => decide?.(part.approval.id, false)}>
            Deny
          </button>
        </div>
      )}
      {part.state === 'output-error' && <p>{part.errorText}</p>}
      {part.state === 'output-available' && (
        <details>
          <summary>Result</summary>
          <code>{typeof part.output === 'string' ? part.output : JSON.stringify(part.output, null, 2)}</code>
        </details>
      )}
    </section>
  );
}
