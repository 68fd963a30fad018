import { type ReactNode, useState } from 'react';
import { useInfo } from '../api/use-info.js';
import { inOrder, wireTitle } from '../lib/wires.js';
import { FrameList } from './frame-list.js';

/** Browsers open six connections to a server; the conversation needs some of them. */
const MOST_OPEN = 3;

/** The frames of one run as each wire shows them, live, side by side. */
export function FramesPanel({ runId }: { readonly runId: string | undefined }): ReactNode {
  const [open, setOpen] = useState<readonly string[]>(['responses', 'ag-ui']);
  const names = inOrder((useInfo()?.wires ?? []).map(({ name }) => name));
  return (
    <section className="frames" aria-label="Frames of the same run">
      <fieldset className="frame-choice">
        <legend>The same run on other wires (up to {MOST_OPEN})</legend>
        {names.map((name) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={open.includes(name)}
              disabled={!open.includes(name) && open.length >= MOST_OPEN}
              onChange={({ target }) => setOpen(target.checked ? [...open, name] : open.filter((one) => one !== name))}
            />
            <span>{wireTitle(name)}</span>
          </label>
        ))}
      </fieldset>
      {runId === undefined ? (
        <p className="muted">The frames of a run appear here as soon as it begins.</p>
      ) : (
        <div className="frame-columns">
          {names
            .filter((name) => open.includes(name))
            .map((name) => (
              <FrameList key={`${name} ${runId}`} runId={runId} wire={name} title={wireTitle(name)} />
            ))}
        </div>
      )}
    </section>
  );
}
