import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { PAGE_TOOLS, toolsIn } from './client-tools.js';
import type { Shown } from './use-conversation.js';
import type { ClientTool } from './wire.js';
import { WIRES } from './wires/choices.js';

interface Models {
  readonly data: readonly { readonly id: string }[];
}

interface Props {
  readonly shown: Shown;
  readonly onTools: (tools: readonly ClientTool[]) => void;
}

/** Chooses the wire, the agent and the tools of the page. */
export function TalkOptions({ shown: { wire, agent, choose }, onTools }: Props): ReactNode {
  const agents = useQuery({ queryKey: ['models'], queryFn: () => json<Models>('v1/models') });
  return (
    <>
      <label>
        Wire
        <select value={wire.name} onChange={({ target }) => choose({ wire: target.value })}>
          {WIRES.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label>
        Agent
        <select
          value={wire.hasAgents ? agent : ''}
          disabled={!wire.hasAgents}
          onChange={({ target }) => choose({ agent: target.value })}
        >
          <option value="">Default</option>
          {agents.data?.data.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
      {wire.hasTools && <ToolChoice onTools={onTools} />}
    </>
  );
}

/** The tools that the page offers: those that it has, and those that the person describes. */
function ToolChoice({ onTools }: Pick<Props, 'onTools'>): ReactNode {
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const [own, setOwn] = useState('');
  const [error, setError] = useState<unknown>();
  const change = (nextOff: ReadonlySet<string>, text: string): void => {
    setOff(nextOff);
    setOwn(text);
    try {
      onTools([...PAGE_TOOLS.filter(({ name }) => !nextOff.has(name)), ...toolsIn(text)]);
      setError(undefined);
    } catch (error) {
      setError(error);
    }
  };
  return (
    <details className="menu">
      <summary className="button" aria-label="Tools of this page">
        Tools
      </summary>
      <div className="menu-body">
        {PAGE_TOOLS.map(({ name, description }) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={!off.has(name)}
              onChange={({ target }) => {
                const next = new Set(off);
                if (target.checked) next.delete(name);
                else next.add(name);
                change(next, own);
              }}
            />
            <span>
              <code>{name}</code> {description}
            </span>
          </label>
        ))}
        <label>
          Your own, as JSON
          <textarea
            rows={4}
            spellCheck={false}
            value={own}
            placeholder='[{"name": "pick_colour", "description": "…", "parameters": {"type": "object"}}]'
            onChange={({ target }) => change(off, target.value)}
          />
        </label>
        <ErrorNotice error={error} />
      </div>
    </details>
  );
}
