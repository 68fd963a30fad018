import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import type { Tenant } from '../api/types.js';
import { time } from '../lib/format.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Outcome } from '../ui/outcome.js';
import { Table } from '../ui/table.js';
import { useAction } from '../ui/use-action.js';
import { TenantRetention } from './tenant-retention.js';

const PATH = 'admin/tenants';

/** The tenants of the installation: create, suspend, resume, and for how long their data is kept. */
export function Tenants(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: [PATH],
    queryFn: () => json<{ readonly data: readonly Tenant[] }>(PATH),
  });
  const { error: actionError, isBusy, run } = useAction(PATH);
  const [opened, open] = useState<string>();
  const post = (path: string, body: object, onDone?: () => void): void => run(() => json(path, { body }), onDone);
  const change = (id: string, what: string): void => post(`${PATH}/${encodeURIComponent(id)}/${what}`, {});
  return (
    <section className="panel" aria-label="Tenants">
      <h2>Tenants</h2>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <p className="muted">Loading…</p>}
      <NewTenant isBusy={isBusy} onCreate={(tenant, onDone) => post(PATH, tenant, onDone)} />
      <ErrorNotice error={actionError} />
      <Table label="List of tenants" titles={['Id', 'Name', 'Status', 'Created', '']}>
        {data?.data.map(({ id, name, status, createdAt }) => (
          <tr key={id}>
            <td>{id}</td>
            <td>{name}</td>
            <td>
              <Outcome state={`tenant-${status}`} />
            </td>
            <td className="when">{time(createdAt)}</td>
            <td className="actions">
              <button
                type="button"
                aria-expanded={opened === id}
                aria-label={`Retention of ${id}`}
                onClick={() => open(opened === id ? undefined : id)}
              >
                Retention
              </button>
              {status === 'active' ? (
                <ConfirmButton label="Suspend" object={id} disabled={isBusy} onConfirm={() => change(id, 'suspend')} />
              ) : (
                <button type="button" disabled={isBusy} onClick={() => change(id, 'resume')}>
                  Resume {id}
                </button>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {opened !== undefined && <TenantRetention key={opened} id={opened} />}
    </section>
  );
}

interface NewTenantProps {
  readonly isBusy: boolean;
  /** @param onDone called once the tenant is there */
  readonly onCreate: (tenant: { readonly id: string; readonly name?: string }, onDone: () => void) => void;
}

function NewTenant({ isBusy, onCreate }: NewTenantProps): ReactNode {
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onCreate({ id: id.trim(), ...(name.trim() !== '' && { name: name.trim() }) }, () => {
      setId('');
      setName('');
    });
  };
  return (
    <form className="filters" aria-label="New tenant" onSubmit={submit}>
      <label>
        Id
        <input required value={id} placeholder="acme" onChange={({ target }) => setId(target.value)} />
      </label>
      <label>
        Name
        <input value={name} placeholder="Acme Inc." onChange={({ target }) => setName(target.value)} />
      </label>
      <button type="submit" disabled={isBusy}>
        Create the tenant
      </button>
    </form>
  );
}
