import { milliseconds, setting, settings } from '../config/index.js';
import { OFF, RETENTION_BOUNDS, type RetentionKind, retentionRule, type RetentionTime } from './retention-periods.js';

/** For how long what is stored is kept, for all tenants that have no periods of their own. */
export class RetentionSettings extends settings('Retention', {
  events: setting('RUN_EVENTS_RETENTION', retentionRule('events'), {
    default: '7d',
    description:
      'How long the events of a finished run are kept for replay. Its final response and the messages of its session are kept longer.',
  }),
  conversations: setting('CONVERSATION_RETENTION', retentionRule('conversations'), {
    default: OFF,
    description:
      'How long a conversation is kept after its last activity. Then its session is removed with everything in it: messages, runs, questions and uploads. `off` keeps conversations until somebody deletes them.',
  }),
  uploads: setting('ATTACHMENT_UNBOUND_TTL_MS', milliseconds(RETENTION_BOUNDS.uploads), {
    default: 86_400_000,
    description: 'How long an uploaded file is kept if no message refers to it.',
  }),
  usage: setting('USAGE_RETENTION', retentionRule('usage'), {
    default: '400d',
    description: 'How long the entries of single model calls are kept. After that, sums per day remain.',
  }),
  audit: setting('AUDIT_RETENTION', retentionRule('audit'), {
    default: '400d',
    description: 'How long lines of the audit trail are kept, with their contents. At least 90 days.',
  }),
}) {
  /** What holds for tenants without a period of their own. */
  defaultOf(kind: RetentionKind): RetentionTime {
    return this[kind];
  }
}
