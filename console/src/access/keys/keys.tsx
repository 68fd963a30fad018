import { type ReactNode, useState } from 'react';
import { json } from '../../api/client.js';
import type { ApiKey } from '../../api/types.js';
import { usePages } from '../../lib/use-pages.js';
import { ErrorNotice } from '../../ui/error-notice.js';
import { useAction } from '../../ui/use-action.js';
import { KeyTable } from './key-table.js';
import { NewKeyForm } from './new-key-form.js';
import type { NewKey } from './new-key.js';

const PATH = 'admin/keys';

/** The API keys of the tenant: create, rotate, revoke. @param grantable the scopes that a new key can have */
export function Keys({ grantable }: { readonly grantable: readonly string[] }): ReactNode {
  const { rows, error, isLoading, hasMore, more, retry } = usePages<ApiKey>(PATH, { limit: 50 });
  const { error: actionError, isBusy, run } = useAction(PATH);
  const [secret, setSecret] = useState<string>();
  const issue = (path: string, body: object, onDone?: () => void): void =>
    run(async () => {
      setSecret(undefined);
      setSecret((await json<{ readonly secret: string }>(path, { body })).secret);
    }, onDone);
  return (
    <section className="panel" aria-label="API keys">
      <h2>API keys</h2>
      <ErrorNotice error={error} onRetry={retry} />
      <NewKeyForm grantable={grantable} isBusy={isBusy} onCreate={(key: NewKey, onDone) => issue(PATH, key, onDone)} />
      <ErrorNotice error={actionError} />
      {secret !== undefined && (
        <p role="status" className="notice info">
          The key is shown only now: <code>{secret}</code>
        </p>
      )}
      {isLoading && <p className="muted">Loading…</p>}
      <KeyTable
        keys={rows}
        isBusy={isBusy}
        onRotate={({ id }) => issue(`${PATH}/${encodeURIComponent(id)}/rotate`, {})}
        onRevoke={({ id }) => run(() => json(`${PATH}/${encodeURIComponent(id)}/revoke`, { body: {} }))}
      />
      {hasMore && (
        <button type="button" onClick={more}>
          More keys
        </button>
      )}
    </section>
  );
}
