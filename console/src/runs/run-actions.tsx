import { type ReactNode, useState } from 'react';
import { parley } from '../api/client.js';
import { save } from '../api/save.js';
import type { RunDetail } from '../api/types.js';
import { sentence } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Lack } from '../ui/lack.js';
import { isOver } from './is-over.js';

/** What can be done with a run. */
export function RunActions({ run, path }: { readonly run: RunDetail; readonly path: string }): ReactNode {
  const [error, setError] = useState<unknown>();
  const lack = run.refusal === null ? undefined : `You cannot cancel this run: ${sentence(run.refusal)}`;
  const cancel = (): void => {
    setError(undefined);
    parley().cancel(run.id).catch(setError);
  };
  const download = (): void => {
    save(`${path}/events.jsonl`, `${run.id}.jsonl`).catch(setError);
  };
  return (
    <div className="row actions">
      {!isOver(run.status) && (
        <button
          type="button"
          className="danger"
          disabled={lack !== undefined}
          aria-describedby={lack && 'lack-cancel'}
          onClick={cancel}
        >
          Cancel the run
        </button>
      )}
      {(run.waitsFor === 'approval' || run.waitsFor === 'input') && (
        <Link to={hrefOf(['inbox'])} className="button">
          Answer in the inbox
        </Link>
      )}
      <Link to={hrefOf(['talk'], { session: run.sessionId })} className="button">
        Open in Talk
      </Link>
      <button type="button" disabled={run.eventsRemovedAt !== null} onClick={download}>
        Download JSONL
      </button>
      <ErrorNotice error={error} />
      {!isOver(run.status) && <Lack id="lack-cancel" why={lack} />}
    </div>
  );
}
