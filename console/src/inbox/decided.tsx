import type { ReactNode } from 'react';
import type { Interrupt } from '../api/types.js';
import { pretty, time } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { Json } from '../ui/json.js';
import { Outcome } from '../ui/outcome.js';
import { calledWith, type Change, changesOf, deciderOf, decisionOf } from './changes.js';

/** How an approval or a question was answered, in one line. */
export function DecidedLine({ interrupt }: { readonly interrupt: Interrupt }): ReactNode {
  const { kind, toolName, answeredAt } = interrupt;
  const who = deciderOf(interrupt);
  return (
    <>
      <Outcome state={decisionOf(interrupt)} />{' '}
      {kind === 'approval' ? <code>{toolName}</code> : <span>{interrupt.message ?? 'A question of the agent'}</span>}
      <span className="muted">
        {who !== undefined && ` by ${who}`}
        {answeredAt !== null && `, ${time(answeredAt)}`}
      </span>
    </>
  );
}

/** What came of an approval or a question: what was called or answered, what a person has changed, and why. */
export function Decided({ interrupt }: { readonly interrupt: Interrupt }): ReactNode {
  const { kind, status, toolName, decision, resumedByRunId } = interrupt;
  const changes = changesOf(interrupt);
  return (
    <div className="decided">
      {kind === 'approval' && (
        <>
          <h3>{status === 'approved' ? 'Called with' : 'Not called'}</h3>
          <Json
            value={status === 'approved' ? calledWith(interrupt) : interrupt.arguments}
            label={
              status === 'approved' ? `Arguments of ${toolName}` : `Arguments that ${toolName} was not called with`
            }
          />
        </>
      )}
      {changes.length > 0 && <Changes changes={changes} />}
      {decision?.payload !== undefined && (
        <>
          <h3>Answer</h3>
          <Json value={decision.payload} label="Answer" />
        </>
      )}
      {decision?.reason !== undefined && decision.reason !== '' && (
        <p>
          <strong>Reason:</strong> {decision.reason}
        </p>
      )}
      {resumedByRunId !== null && (
        <p>
          <Link to={hrefOf(['runs', resumedByRunId])}>The run that went on</Link>
        </p>
      )}
    </div>
  );
}

function Changes({ changes }: { readonly changes: readonly Change[] }): ReactNode {
  return (
    <div className="scroll">
      <table className="changes">
        <caption>What was changed</caption>
        <thead>
          <tr>
            <th scope="col">Argument</th>
            <th scope="col">The model wrote</th>
            <th scope="col">Called with</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ name, asked, called }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>{asked === undefined ? <span className="muted">nothing</span> : <del>{pretty(asked)}</del>}</td>
              <td>{called === undefined ? <span className="muted">nothing</span> : <ins>{pretty(called)}</ins>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
