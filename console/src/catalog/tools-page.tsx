import { type ReactNode, useState } from 'react';
import { useLack, useMe } from '../access/rights.js';
import { json, parley } from '../api/client.js';
import type { McpServer, Page } from '../api/types.js';
import { count } from '../lib/format.js';
import { usePlace } from '../lib/router.js';
import { useRefreshed } from '../lib/use-refreshed.js';
import { useTitle } from '../lib/use-title.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { ListPage } from '../ui/list-page.js';
import { Outcome } from '../ui/outcome.js';
import { ToolCard } from './tool-card.js';

const SERVERS_PATH = 'api/v1/mcp-servers';

/** The tools of the server, each with its arguments and what the policy says, and the MCP servers that bring some. */
export function ToolsPage(): ReactNode {
  const { path } = usePlace();
  const opened = path[1];
  const tools = useRefreshed('api/v1/tools', () => parley().tools());
  const me = useMe();
  const lack = useLack('ops:read');
  const mayRead = me !== undefined && lack === undefined;
  const servers = useRefreshed(SERVERS_PATH, () => json<Page<McpServer>>(SERVERS_PATH), mayRead);
  const [text, setText] = useState('');
  useTitle(opened && `Tool: ${opened}`);
  const all = tools.data ?? [];
  const wanted = text.trim().toLowerCase();
  const shown = all.filter(({ name, description, server }) =>
    [name, description, server].some((one) => one.toLowerCase().includes(wanted)),
  );
  return (
    <ListPage
      title="Tools"
      count={tools.data && `${count(shown.length)} of ${count(all.length)}`}
      error={tools.error}
      onRetry={() => void tools.refetch()}
    >
      {all.length > 5 && (
        <label className="search">
          Find a tool
          <input type="search" value={text} onChange={({ target }) => setText(target.value)} />
        </label>
      )}
      {opened !== undefined && tools.data && !all.some(({ name }) => name === opened) && (
        <p className="notice warning">
          There is no tool <code>{opened}</code>, or your credential may not use it.
        </p>
      )}
      {tools.data && all.length === 0 && (
        <div className="empty">
          <p>This server has no tools that you may use.</p>
          <p className="muted">A method with @AgentTool is one, and so are those of MCP servers.</p>
        </div>
      )}
      {all.length > 0 && shown.length === 0 && <p className="muted">No tool has these words.</p>}
      <ul className="tools" aria-label="Tools">
        {shown.map((tool) => (
          <ToolCard key={tool.name} tool={tool} isOpen={tool.name === opened} />
        ))}
      </ul>
      <section aria-label="MCP servers" className="stack">
        <h2>MCP servers</h2>
        {lack !== undefined && <p className="muted">{lack}</p>}
        <ErrorNotice error={servers.error} onRetry={() => void servers.refetch()} />
        {servers.isLoading && <p className="muted">Loading…</p>}
        {servers.data?.data.length === 0 && (
          <p className="muted">None is configured. MCP_SERVERS names servers whose tools agents may call.</p>
        )}
        <ul className="cards">
          {servers.data?.data.map((server) => (
            <ServerCard key={server.label} server={server} />
          ))}
        </ul>
      </section>
    </ListPage>
  );
}

function ServerCard({ server: { label, state, required, tools } }: { readonly server: McpServer }): ReactNode {
  return (
    <li className="panel">
      <h3>
        {label} <Outcome state={`mcp-${state}`} /> {required && <span className="badge">required</span>}
      </h3>
      <p className="muted">{tools.length === 0 ? 'No tools' : tools.join(', ')}</p>
    </li>
  );
}
