import type { ReactNode } from 'react';
import type { Tool } from '../api/types.js';
import { duration } from '../lib/format.js';
import { go, hrefOf, Link } from '../lib/router.js';
import { JsonTree } from '../ui/json-tree.js';
import { ArgumentTable } from './argument-table.js';
import { PolicyQuestion } from './policy-question.js';

/** What a repeated call would do, in words. */
const EFFECTS: Readonly<Record<string, string>> = {
  none: 'changes nothing',
  idempotent: 'may be repeated',
  unsafe: 'is never repeated',
};

/** One tool. Its name is the address at which its details are open. */
export function ToolCard({ tool, isOpen }: { readonly tool: Tool; readonly isOpen: boolean }): ReactNode {
  const { name, description, parameters, effects, server, timeoutMs, mayAsk } = tool;
  return (
    <li className="panel tool">
      <div className="tool-head">
        <h2>
          <Link to={isOpen ? hrefOf(['tools']) : hrefOf(['tools', name])}>
            <code>{name}</code>
          </Link>
        </h2>
        <span className="row">
          {mayAsk && <span className="badge warning">May ask for approval</span>}
          <span className="badge" title={`effects: ${effects}`}>
            {EFFECTS[effects] ?? effects}
          </span>
          <span className="badge">{server === 'local' ? 'this server' : `MCP: ${server}`}</span>
          <span className="badge">at most {duration(timeoutMs)}</span>
        </span>
      </div>
      <p>{description}</p>
      <details
        open={isOpen}
        onToggle={({ currentTarget: { open } }) => {
          if (open !== isOpen) go(open ? hrefOf(['tools', name]) : hrefOf(['tools']), { replace: true });
        }}
      >
        <summary>Arguments, and what the policy says</summary>
        {isOpen && (
          <div className="tool-parts">
            <section className="stack" aria-label={`Arguments of ${name}`}>
              <h3>Arguments</h3>
              <ArgumentTable schema={parameters} />
              <details>
                <summary>JSON Schema</summary>
                <JsonTree value={parameters} label={`Schema of ${name}`} />
              </details>
            </section>
            <PolicyQuestion tool={tool} />
          </div>
        )}
      </details>
    </li>
  );
}
