import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import { time } from '../lib/format.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { useAction } from '../ui/use-action.js';

/** A tenant of the installation. */
interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly createdAt: string;
}

const PATH = 'admin/tenants';

/** The tenants of the installation: create, suspend, resume. */
export function Tenants(): ReactNode {
  const { data, error } = useQuery({
    queryKey: [PATH],
    queryFn: () => json<{ readonly data: readonly Tenant[] }>(PATH),
  });
  const { error: actionError, isBusy, run } = useAction(PATH);
  const post = (path: string, body: object, onDone?: () => void): void => run(() => json(path, { body }), onDone);
  const change = (id: string, what: string): void => post(`${PATH}/${encodeURIComponent(id)}/${what}`, {});
  return (
    <section className="panel" aria-label="Tenants">
      <h2>Tenants</h2>
      <ErrorNotice error={error} />
      <NewTenant isBusy={isBusy} onCreate={(tenant, onDone) => post(PATH, tenant, onDone)} />
      <ErrorNotice error={actionError} />
      <div className="scroll" tabIndex={0} role="region" aria-label="List of tenants">
        <table>
          <thead>
            <tr>
              {['Id', 'Name', 'Status', 'Created', ''].map((title) => (
                <th key={title} scope="col">
                  {title || <span className="visually-hidden">Actions</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data?.data.map(({ id, name, status, createdAt }) => (
              <tr key={id}>
                <td>{id}</td>
                <td>{name}</td>
                <td>
                  <span className={`badge ${status === 'active' ? 'success' : 'warning'}`}>{status}</span>
                </td>
                <td>{time(createdAt)}</td>
                <td className="actions">
                  {status === 'active' ? (
                    <ConfirmButton
                      label="Suspend"
                      object={id}
                      disabled={isBusy}
                      onConfirm={() => change(id, 'suspend')}
                    />
                  ) : (
                    <button type="button" disabled={isBusy} onClick={() => change(id, 'resume')}>
                      Resume {id}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
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
