import type { ReactNode } from 'react';
import type { Webhook } from '../api/types.js';
import { time } from '../lib/format.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Table } from '../ui/table.js';

interface Props {
  readonly webhooks: readonly Webhook[];
  readonly isBusy: boolean;
  /** The id of the one whose deliveries are shown. */
  readonly shown: string | undefined;
  readonly onShow: (webhook: Webhook) => void;
  readonly onTest: (webhook: Webhook) => void;
  readonly onRotate: (webhook: Webhook) => void;
  readonly onEnable: (webhook: Webhook) => void;
  readonly onRemove: (webhook: Webhook) => void;
}

/** Endpoints without their secrets. */
export function WebhookTable({ webhooks, ...props }: Props): ReactNode {
  return (
    <Table label="List of webhooks" titles={['Address', 'Events', 'Status', 'Last success', '']}>
      {webhooks.map((webhook) => (
        <Row key={webhook.id} webhook={webhook} {...props} />
      ))}
    </Table>
  );
}

function Row({ webhook, isBusy, shown, ...on }: Omit<Props, 'webhooks'> & { readonly webhook: Webhook }): ReactNode {
  const { id, url, description, events, format, agents, enabled, disabledReason, lastSuccessAt } = webhook;
  const button = (label: string, action: (webhook: Webhook) => void): ReactNode => (
    <button type="button" aria-label={`${label} ${url}`} disabled={isBusy} onClick={() => action(webhook)}>
      {label}
    </button>
  );
  return (
    <tr>
      <td>
        <code>{url}</code>
        {description !== null && <div className="muted">{description}</div>}
      </td>
      <td>
        {events.join(', ') || 'Named runs only'}
        {format === 'openai' && <div className="muted">As events of OpenAI</div>}
        {agents && <div className="muted">Agents: {agents.join(', ')}</div>}
      </td>
      <td>
        {enabled ? 'Active' : 'Disabled'}
        {disabledReason !== null && <div className="muted">{disabledReason}</div>}
      </td>
      <td className="when">{time(lastSuccessAt)}</td>
      <td className="actions">
        <button
          type="button"
          aria-expanded={shown === id}
          aria-label={`Deliveries to ${url}`}
          onClick={() => on.onShow(webhook)}
        >
          Deliveries
        </button>{' '}
        {enabled && button('Test', on.onTest)} {button('Rotate', on.onRotate)}{' '}
        {button(enabled ? 'Disable' : 'Enable', on.onEnable)}{' '}
        <ConfirmButton label="Remove" object={url} disabled={isBusy} onConfirm={() => on.onRemove(webhook)} />
      </td>
    </tr>
  );
}
