import type { ReactNode } from 'react';
import type { ApiKey } from '../../api/types.js';
import { time } from '../../lib/format.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { Outcome } from '../../ui/outcome.js';
import { Table } from '../../ui/table.js';

interface Props {
  readonly keys: readonly ApiKey[];
  readonly isBusy: boolean;
  readonly onRotate: (key: ApiKey) => void;
  readonly onRevoke: (key: ApiKey) => void;
}

/** Keys without their secrets. */
export function KeyTable({ keys, isBusy, onRotate, onRevoke }: Props): ReactNode {
  return (
    <Table label="List of API keys" titles={['Account', 'Id', 'Status', 'Scopes', 'Last used', 'Expires', '']}>
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
            <Outcome state={`key-${key.status}`} />
          </td>
          <td>{key.scopes.join(', ')}</td>
          <td className="when">{time(key.lastUsedAt)}</td>
          <td className="when">{time(key.expiresAt)}</td>
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
    </Table>
  );
}
