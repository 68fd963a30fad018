import { type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import type { PolicyAnswer, Tool } from '../api/types.js';
import { decidersOf } from '../lib/deciders.js';
import { useAgents } from '../lib/use-agents.js';
import { duration } from '../lib/format.js';
import { SchemaForm } from '../schema/schema-form.js';
import { defaultOf } from '../schema/schema-values.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Facts } from '../ui/facts.js';
import { JsonTree } from '../ui/json-tree.js';
import { Outcome } from '../ui/outcome.js';

/** What the decisions of the policy mean. */
const MEANING: Readonly<Record<string, string>> = {
  allow: 'The call is made.',
  ask: 'The run waits until somebody approves the call.',
  deny: 'The call is not made; the model is told so.',
  invalid: 'The arguments do not match the schema, so the policy is not asked.',
};

/** Asks the policy about a call. Nothing is called. */
export function PolicyQuestion({ tool: { name, parameters } }: { readonly tool: Tool }): ReactNode {
  const agents = useAgents();
  const [agent, setAgent] = useState('');
  const [value, setValue] = useState<unknown>(() => defaultOf(parameters) ?? {});
  const [answer, setAnswer] = useState<PolicyAnswer>();
  const [error, setError] = useState<unknown>();
  const ask = (): void => {
    setError(undefined);
    setAnswer(undefined);
    json<PolicyAnswer>(`api/v1/tools/${encodeURIComponent(name)}/policy`, {
      body: { arguments: value, ...(agent && { agent }) },
    }).then(setAnswer, setError);
  };
  // What was said is about the agent before.
  const choose = (name: string): void => {
    setAgent(name);
    setAnswer(undefined);
    setError(undefined);
  };
  return (
    <form
      className="stack"
      aria-label={`Policy for ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <h3>Would this ask?</h3>
      <p className="muted">
        The policy decides about a call in a run of yours with these arguments. Nothing is called.
      </p>
      {agents.all.length > 1 && (
        <label>
          Agent
          <select value={agent} onChange={({ target }) => choose(target.value)}>
            <option value="">{agents.standard ? `Default (${agents.standard.name})` : 'Default'}</option>
            {agents.all
              .filter(({ isDefault }) => !isDefault)
              .map(({ name: one }) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
          </select>
        </label>
      )}
      <SchemaForm id={`policy-${name}`} schema={parameters} value={value} label="Arguments" onChange={setValue} />
      <div>
        <button type="submit">Ask the policy</button>
      </div>
      <ErrorNotice error={error} />
      {answer && <Decision answer={answer} />}
    </form>
  );
}

/** The whole decision: the rule, its reason, and who may approve. */
function Decision({ answer }: { readonly answer: PolicyAnswer }): ReactNode {
  const { decision, rule, reason, expiresInMs, mayEdit } = answer;
  const facts: readonly (readonly [string, string])[] = [
    ['Rule', rule === null ? ruleless(decision) : `number ${rule} of the policy, counted from 0`],
    ...(reason === null ? [] : [['Reason', reason] as const]),
    ...(decision === 'ask'
      ? ([
          ['Who may approve', decidersOf(answer.approvers ?? {})],
          ['Changes', mayEdit ? 'the person may change the arguments' : 'the arguments stay as they are'],
          ...(expiresInMs === undefined ? [] : [['Expires', `after ${duration(expiresInMs)}`] as const]),
        ] as const)
      : []),
  ];
  return (
    <div className="decision" role="status">
      <p>
        <Outcome state={`policy-${decision}`} /> {MEANING[decision]}
      </p>
      <Facts facts={facts} />
      {answer.arguments !== null && <JsonTree value={answer.arguments} label="Arguments as the tool would get them" />}
    </div>
  );
}

function ruleless(decision: string): string {
  if (decision === 'invalid') return 'none was asked';
  return decision === 'allow' ? 'none forbids the call or asks' : 'none matches: unsafe tools ask by default';
}
