import { type ReactNode, useState } from 'react';
import { FrameList } from './frame-list.js';

/** The wires whose frames can be shown, by their names at the server. */
const FRAMES = [
  ['agent-api', 'Agent API'],
  ['responses', 'OpenAI Responses'],
  ['chat-completions', 'OpenAI Chat Completions'],
  ['ai-sdk', 'AI SDK'],
  ['ag-ui', 'AG-UI'],
  ['runs', 'Runs API'],
  ['ag-kit', 'AG-Kit'],
  ['ag-kit-ag-ui', 'AG-Kit, AG-UI'],
  ['ag-kit-bot', 'AG-Kit, bots'],
] as const;

/** Browsers open six connections to a server; the conversation needs some of them. */
const MOST_OPEN = 3;

/** The frames of one run as each wire shows them, live, side by side. */
export function FramesPanel({ runId }: { readonly runId: string | undefined }): ReactNode {
  const [open, setOpen] = useState<readonly string[]>(['responses', 'ag-ui']);
  return (
    <section className="frames" aria-label="Frames of the same run">
      <fieldset className="frame-choice">
        <legend>The same run on other wires (up to {MOST_OPEN})</legend>
        {FRAMES.map(([name, title]) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={open.includes(name)}
              disabled={!open.includes(name) && open.length >= MOST_OPEN}
              onChange={({ target }) => setOpen(target.checked ? [...open, name] : open.filter((one) => one !== name))}
            />
            <span>{title}</span>
          </label>
        ))}
      </fieldset>
      {runId === undefined ? (
        <p className="muted">The frames of a run appear here as soon as it begins.</p>
      ) : (
        <div className="frame-columns">
          {FRAMES.filter(([name]) => open.includes(name)).map(([name, title]) => (
            <FrameList key={`${name} ${runId}`} runId={runId} wire={name} title={title} />
          ))}
        </div>
      )}
    </section>
  );
}
