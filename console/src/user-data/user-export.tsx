import type { ReactNode } from 'react';
import { save } from '../api/save.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { useAction } from '../ui/use-action.js';

/** Everything that is stored of a user, as a file. */
export function UserExport({ id }: { readonly id: string }): ReactNode {
  const { error, isBusy, run } = useAction('user-export');
  return (
    <section className="panel" aria-label="Export">
      <h2>Export</h2>
      <p>
        A file with everything that is stored of <code>{id}</code>, one thing on a line: sessions with their messages,
        runs, attachments as addresses that are valid for a short time, settings, schedules, usage. The audit trail has
        a line about each export.
      </p>
      <div className="row">
        <button
          type="button"
          disabled={isBusy}
          onClick={() => run(() => save(`admin/users/${encodeURIComponent(id)}/export`, `${id}.jsonl`))}
        >
          {isBusy ? 'Downloading…' : 'Download'}
        </button>
      </div>
      <ErrorNotice error={error} />
    </section>
  );
}
