import { type ReactNode, useState } from 'react';
import type { AuditItem } from '../api/types.js';
import { time } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { Json } from '../ui/json.js';

/** Lines, newest first. What people wrote is shown on demand. */
export function AuditTable({ items }: { readonly items: readonly AuditItem[] }): ReactNode {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Acts">
      <table>
        <thead>
          <tr>
            {['No.', 'Time', 'Act', 'Who', 'About', ''].map((title) => (
              <th key={title} scope="col">
                {title || <span className="visually-hidden">Details</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Row key={item.line.seq ?? `${item.line.at}${JSON.stringify(item.line)}`} item={item} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ item }: { readonly item: AuditItem }): ReactNode {
  const { line, content, contentBreak } = item;
  const [isOpen, setOpen] = useState(false);
  const { seq, at, action, outcome, subject, runId, toolName } = line;
  return (
    <>
      <tr>
        <td>{seq ?? <span className="muted">Not sealed yet</span>}</td>
        <td className="when">{time(at)}</td>
        <td>
          {action}
          {outcome === 'refused' && <div className="muted">Refused</div>}
        </td>
        <td>{whoOf(item)}</td>
        <td>
          {subject && (
            <>
              {subject.kind} <code>{nameOf(item, subject.id)}</code>
            </>
          )}
          {toolName !== undefined && <div className="muted">{toolName}</div>}
          {runId !== undefined && subject?.id !== runId && (
            <div>
              <Link to={hrefOf(['runs', runId])}>{runId}</Link>
            </div>
          )}
        </td>
        <td className="actions">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={`Details of ${action} at ${time(at)}`}
            onClick={() => setOpen(!isOpen)}
          >
            Details
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={6}>
            {contentBreak !== null && <p className="notice warning">{contentBreak}.</p>}
            <Json label="Line" value={{ ...line, ...(content && { content }) }} />
          </td>
        </tr>
      )}
    </>
  );
}

/** The actor, and the user for whom it acts where that is another. */
function whoOf(item: AuditItem): ReactNode {
  const { actor, onBehalfOf } = item.line;
  const name = actor.account ?? nameOf(item, actor.id);
  const user = onBehalfOf === undefined ? undefined : nameOf(item, onBehalfOf);
  return (
    <>
      {WORDS[actor.kind] ?? actor.kind} {actor.kind === 'server' || actor.kind === 'none' ? '' : name}
      {user !== undefined && user !== name && <div className="muted">for {user}</div>}
    </>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  key: 'Key of',
  user: '',
  proxy: '',
  cli: 'Command line,',
  none: 'Unknown',
  server: 'Server',
};

/** A pseudonym whose user was erased stays one. */
function nameOf({ users }: AuditItem, id: string): string {
  return users[id] ?? id;
}
