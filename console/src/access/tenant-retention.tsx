import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import type { Retention, RetentionOfTenant } from '../api/types.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { useAction } from '../ui/use-action.js';

/** What is kept for a time, and how it is called. */
const KINDS: readonly (readonly [kind: keyof Retention, title: string])[] = [
  ['events', 'Events of finished runs'],
  ['conversations', 'Conversations, after their last activity'],
  ['uploads', 'Uploads to which no message refers'],
  ['usage', 'Usage of single model calls'],
  ['audit', 'Audit trail'],
];

/** For how long the data of a tenant is kept. An empty field stands for the setting of the server. */
export function TenantRetention({ id }: { readonly id: string }): ReactNode {
  const path = `admin/tenants/${encodeURIComponent(id)}/retention`;
  const { data, error, refetch } = useQuery({ queryKey: [path], queryFn: () => json<RetentionOfTenant>(path) });
  return (
    <section className="stack" aria-label={`Retention of ${id}`}>
      <h3>Retention of {id}</h3>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <p className="muted">Loading…</p>}
      {data && <Fields key={JSON.stringify(data)} id={id} path={path} view={data} />}
    </section>
  );
}

interface FieldsProps {
  readonly id: string;
  readonly path: string;
  readonly view: RetentionOfTenant;
}

function Fields({ id, path, view: { retention, overrides } }: FieldsProps): ReactNode {
  const [draft, setDraft] = useState<Partial<Retention>>(overrides);
  const { error, isBusy, run } = useAction(path);
  const save = (): void => {
    const named = KINDS.flatMap(([kind]) => (draft[kind]?.trim() ? [[kind, draft[kind].trim()] as const] : []));
    run(() => json(path, { method: 'PUT', body: Object.fromEntries(named) }));
  };
  return (
    <form className="stack form" aria-label={`Retention of ${id}`} onSubmit={(event) => event.preventDefault()}>
      <p className="muted">
        A number with its unit, such as 12h or 30d; off keeps conversations for ever. An empty field uses the setting of
        the server. What is older is removed, and cannot be brought back.
      </p>
      {KINDS.map(([kind, title]) => (
        <label key={kind}>
          {title}
          <input
            placeholder={retention[kind]}
            value={draft[kind] ?? ''}
            onChange={({ target }) => setDraft({ ...draft, [kind]: target.value })}
          />
        </label>
      ))}
      <ErrorNotice error={error} />
      <ConfirmButton label="Save" object={`the retention of ${id}`} disabled={isBusy} onConfirm={save} />
    </form>
  );
}
