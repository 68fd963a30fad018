import { type ReactNode, useEffect, useRef, useState } from 'react';
import { wireTitle } from '../lib/wires.js';
import { ErrorNotice } from '../ui/error-notice.js';
import type { Agents } from '../lib/use-agents.js';
import { PAGE_TOOLS, toolsIn } from './client-tools.js';
import type { Shown } from './use-conversation.js';
import type { ClientTool } from './wire.js';
import { WIRES } from './wires/choices.js';

interface Props {
  readonly shown: Shown;
  readonly agents: Agents;
  readonly onTools: (tools: readonly ClientTool[]) => void;
}

/** Chooses the wire, the agent and the tools of the page. */
export function TalkOptions({ shown: { wire, agent, choose }, agents, onTools }: Props): ReactNode {
  return (
    <>
      <label>
        Wire
        <select value={wire.name} onChange={({ target }) => choose({ wire: target.value })}>
          {WIRES.map(({ name }) => (
            <option key={name} value={name}>
              {wireTitle(name)}
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
          <option value="">{agents.standard ? `Default (${agents.standard.name})` : 'Default'}</option>
          {agents.named.map(({ name }) => (
            <option key={name} value={name}>
              {name}
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
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    // A click outside of the menu closes it.
    const close = ({ target }: Event): void => {
      if (menu.current && target instanceof Node && !menu.current.contains(target)) menu.current.open = false;
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, []);
  return (
    <details
      ref={menu}
      className="menu"
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return;
        currentTarget.open = false;
        currentTarget.querySelector('summary')?.focus();
      }}
    >
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
