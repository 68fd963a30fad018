import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { json } from '../api/client.js';
import { setCredential, useCredential } from '../api/credential.js';
import type { ApiKey, Whoami } from '../api/types.js';
import { messageOf, time } from '../lib/format.js';
import { usePages } from '../lib/use-pages.js';
import { Json } from '../ui/json.js';
import { Problem } from '../ui/problem.js';

/** Who uses the console, and what that person may administer. */
export function AccessPage(): ReactNode {
  const token = useCredential();
  const me = useQuery({ queryKey: ['whoami', token], queryFn: () => json<Whoami>('whoami') });
  const scopes = new Set(me.data?.scopes ?? []);
  return (
    <div className="page">
      <header>
        <h1>Access</h1>
        {token !== undefined && (
          <button type="button" onClick={() => setCredential(undefined)}>
            Sign out
          </button>
        )}
      </header>
      {me.error && <Problem error={me.error} />}
      {me.data?.actor.kind === 'none' && (
        <p className="notice info">
          This server has no authentication (AUTH=none): everyone who reaches it may use it.
        </p>
      )}
      {me.data && (
        <section className="panel" aria-label="You">
          <h2>You</h2>
          <dl>
            {Object.entries({
              User: me.data.userId,
              Tenant: me.data.tenantId,
              Credential: `${me.data.actor.kind} ${me.data.actor.account ?? me.data.actor.id}`,
              Scopes: me.data.scopes.join(', ') || '–',
              Roles: me.data.roles.join(', ') || '–',
              Expires: time(me.data.expiresAt),
            }).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {scopes.has('admin:keys') && <Keys />}
      {scopes.has('admin:budgets') && <Document title="Limits" path="admin/limits" />}
      {scopes.has('admin:tenants') && <Document title="Tenants" path="admin/tenants" />}
    </div>
  );
}

function Document({ title, path }: { readonly title: string; readonly path: string }): ReactNode {
  const { data, error } = useQuery({ queryKey: [path], queryFn: () => json<unknown>(path) });
  return (
    <section className="panel" aria-label={title}>
      <h2>{title}</h2>
      {error && <Problem error={error} />}
      {data !== undefined && <Json value={data} label={title} />}
    </section>
  );
}

function Keys(): ReactNode {
  const queries = useQueryClient();
  const { rows, error, hasMore, more } = usePages<ApiKey>('admin/keys', { limit: 50 });
  const [problem, setProblem] = useState<string>();
  const revoke = (id: string): void => {
    setProblem(undefined);
    json(`admin/keys/${encodeURIComponent(id)}/revoke`, { method: 'POST', body: {} })
      .catch((failure: unknown) => setProblem(messageOf(failure)))
      .finally(() => void queries.invalidateQueries({ queryKey: ['admin/keys'] }));
  };
  return (
    <section className="panel" aria-label="API keys">
      <h2>API keys</h2>
      {error && <Problem error={error} />}
      {problem !== undefined && (
        <p role="alert" className="notice error">
          {problem}
        </p>
      )}
      <NewKey />
      <div className="scroll" tabIndex={0} role="region" aria-label="List of API keys">
        <table>
          <thead>
            <tr>
              {['Account', 'Id', 'Status', 'Scopes', 'Last used', 'Expires', ''].map((title) => (
                <th key={title} scope="col">
                  {title || <span className="visually-hidden">Actions</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, account, status, scopes, lastUsedAt, expiresAt }) => (
              <tr key={id}>
                <td>{account}</td>
                <td>
                  <code>{id}</code>
                </td>
                <td>{status}</td>
                <td>{scopes.join(', ')}</td>
                <td>{time(lastUsedAt)}</td>
                <td>{time(expiresAt)}</td>
                <td>
                  {status !== 'revoked' && (
                    <button type="button" className="danger" aria-label={`Revoke ${id}`} onClick={() => revoke(id)}>
                      Revoke
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hasMore && (
        <button type="button" onClick={more}>
          More keys
        </button>
      )}
    </section>
  );
}

function NewKey(): ReactNode {
  const queries = useQueryClient();
  const [account, setAccount] = useState('');
  const [scopes, setScopes] = useState('runs:write runs:read');
  const [secret, setSecret] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const create = (event: FormEvent): void => {
    event.preventDefault();
    setProblem(undefined);
    setSecret(undefined);
    json<{ secret: string }>('admin/keys', { body: { account, scopes: scopes.split(/[\s,]+/).filter(Boolean) } })
      .then((key) => setSecret(key.secret))
      .catch((failure: unknown) => setProblem(messageOf(failure)))
      .finally(() => void queries.invalidateQueries({ queryKey: ['admin/keys'] }));
  };
  return (
    <form className="filters" aria-label="New key" onSubmit={create}>
      <label>
        Account
        <input required value={account} onChange={({ target }) => setAccount(target.value)} />
      </label>
      <label className="wide">
        Scopes
        <input required value={scopes} onChange={({ target }) => setScopes(target.value)} />
      </label>
      <button type="submit">Create a key</button>
      {secret !== undefined && (
        <p role="status" className="notice info">
          The key is shown only now: <code>{secret}</code>
        </p>
      )}
      {problem !== undefined && (
        <p role="alert" className="notice error">
          {problem}
        </p>
      )}
    </form>
  );
}
