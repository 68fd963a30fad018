import type { ReactNode } from 'react';
import type { Agent } from '../api/types.js';
import { suggestionsIn } from './suggestions.js';

interface Props {
  /** Undefined while it is not known. */
  readonly agent: Agent | undefined;
  /** Undefined while nothing can be sent. */
  readonly onSay: ((text: string) => void) | undefined;
}

/** The page before the first message: who answers, and what one may ask. */
export function Welcome({ agent, onSay }: Props): ReactNode {
  if (!agent) return <div className="welcome" />;
  const suggestions = suggestionsIn(agent.description);
  return (
    <div className="welcome">
      <h2>Talk to {agent.name}</h2>
      <p className="muted">{agent.description}</p>
      {suggestions.length > 0 && (
        <div className="suggestions" role="group" aria-label="Suggestions">
          {suggestions.map((text) => (
            <button key={text} type="button" disabled={!onSay} onClick={() => onSay?.(text)}>
              {text}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
