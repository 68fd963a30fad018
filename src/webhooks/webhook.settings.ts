import { DAY_MS, duration, flag, HOUR_MS, setting, settings } from '../config/index.js';
import { type AllowedTargets, allowedTargets, NO_TARGETS } from '../outgoing/index.js';

/** Where webhooks may go, and how long their deliveries are kept. */
export class WebhookSettings extends settings('Webhooks', {
  isHttpAllowed: setting('WEBHOOKS_ALLOW_HTTP', flag(), {
    default: false,
    description:
      'Whether endpoints of webhooks may have `http://` addresses. Without it, only those on this machine while AUTH is none. It allows the scheme alone: private addresses need WEBHOOK_ALLOWED_NETWORKS.',
  }),
  allowed: setting('WEBHOOK_ALLOWED_NETWORKS', allowedTargets(), {
    default: (): AllowedTargets => NO_TARGETS,
    unset: 'none',
    description:
      'Hosts and networks with private, loopback or other special addresses that webhooks may be sent to, separated by commas, such as `hooks.corp.example,10.20.0.0/16`. See [webhooks](webhooks.md#where-requests-may-go).',
  }),
  retentionMs: setting('WEBHOOK_RETENTION', duration({ min: HOUR_MS, max: 365 * DAY_MS }), {
    default: () => 30 * DAY_MS,
    unset: '30d',
    description: 'How long deliveries of webhooks are kept, with their attempts.',
  }),
}) {}
