import { type ReactNode, useState } from 'react';
import { useLack } from '../access/rights.js';
import { json } from '../api/client.js';
import type { Webhook } from '../api/types.js';
import { usePages } from '../lib/use-pages.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { useAction } from '../ui/use-action.js';
import { DeliveryList } from './delivery-list.js';
import { NewWebhook } from './new-webhook.js';
import { WebhookTable } from './webhook-table.js';

const PATH = 'api/v1/webhooks';

/** Where events are announced to: new endpoints, tests, deliveries. */
export function WebhooksPage(): ReactNode {
  const lack = useLack('webhooks:read');
  return (
    <div className="page">
      <header>
        <h1>Webhooks</h1>
      </header>
      {lack === undefined ? <Webhooks /> : <p className="lack">{lack}</p>}
    </div>
  );
}

function Webhooks(): ReactNode {
  const cannotWrite = useLack('webhooks:write') !== undefined;
  const { rows, error, isLoading, retry } = usePages<Webhook>(PATH);
  const { error: actionError, isBusy, run } = useAction(PATH);
  const [secret, setSecret] = useState<string>();
  const [shown, show] = useState<string>();
  const issue = (path: string, body: object, onDone?: () => void): void =>
    run(async () => {
      setSecret(undefined);
      setSecret((await json<{ readonly secret: string }>(path, { body })).secret);
    }, onDone);
  const pathOf = ({ id }: Webhook): string => `${PATH}/${encodeURIComponent(id)}`;
  const opened = rows.find(({ id }) => id === shown);
  return (
    <>
      <ErrorNotice error={error} onRetry={retry} />
      {!cannotWrite && <NewWebhook isBusy={isBusy} onCreate={(webhook, onDone) => issue(PATH, webhook, onDone)} />}
      <ErrorNotice error={actionError} />
      {secret !== undefined && (
        <p role="status" className="notice info">
          The secret is shown only now: <code>{secret}</code>
        </p>
      )}
      {isLoading && <p className="muted">Loading…</p>}
      {!isLoading && rows.length === 0 && !error && (
        <p className="empty">No webhooks yet. They tell your servers when runs end, wait or fail.</p>
      )}
      {rows.length > 0 && (
        <WebhookTable
          webhooks={rows}
          isBusy={isBusy || cannotWrite}
          shown={shown}
          onShow={({ id }) => show(id === shown ? undefined : id)}
          onTest={(webhook) =>
            run(
              () => json(`${pathOf(webhook)}/test`, { body: {} }),
              () => show(webhook.id),
            )
          }
          onRotate={(webhook) => issue(`${pathOf(webhook)}/rotate`, {})}
          onEnable={(webhook) =>
            run(() => json(pathOf(webhook), { method: 'PATCH', body: { enabled: !webhook.enabled } }))
          }
          onRemove={(webhook) => run(() => json(pathOf(webhook), { method: 'DELETE' }))}
        />
      )}
      {opened && <DeliveryList key={opened.id} webhook={opened} path={pathOf(opened)} isFixed={cannotWrite} />}
    </>
  );
}
