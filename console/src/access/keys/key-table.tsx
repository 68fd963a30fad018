import type { ReactNode } from 'react';
import type { ApiKey } from '../../api/types.js';
import { time } from '../../lib/format.js';
import { ConfirmButton } from '../../ui/confirm-button.js';

interface Props {
  readonly keys: readonly ApiKey[];
  readonly isBusy: boolean;
  readonly onRotate: (key: ApiKey) => void;
  readonly onRevoke: (key: ApiKey) => void;
}

/** Keys without their secrets. */
export function KeyTable({ keys, isBusy, onRotate, onRevoke }: Props): ReactNode {
  return (
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
          {keys.map((key) => (
            <tr key={key.id}>
              <td>
                {key.account}
                {key.name !== null && <div className="muted">{key.name}</div>}
              </td>
              <td>
                <code>{key.id}</code>
              </td>
              <td>
                <span className={`badge ${key.status === 'active' ? 'success' : ''}`}>{key.status}</span>
              </td>
              <td>{key.scopes.join(', ')}</td>
              <td>{time(key.lastUsedAt)}</td>
              <td>{time(key.expiresAt)}</td>
              <td className="actions">
                {key.status === 'active' && (
                  <button type="button" aria-label={`Rotate ${key.id}`} disabled={isBusy} onClick={() => onRotate(key)}>
                    Rotate
                  </button>
                )}{' '}
                {key.status !== 'revoked' && (
                  <ConfirmButton label="Revoke" object={key.id} disabled={isBusy} onConfirm={() => onRevoke(key)} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
