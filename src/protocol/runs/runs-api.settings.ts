import { choice, DAY_MS, flag, HOUR_MS, milliseconds, setting, settings } from '../../config/index.js';

/** Settings of the Runs API. */
export class RunsApiSettings extends settings('Runs API', {
  onInvalidClientTime: setting('RUNS_API_INVALID_CLIENT_TIME', choice('reject', 'fallback'), {
    default: 'reject',
    description:
      'What happens to a request with an invalid `client_time`: it is refused (`reject`) or treated as if it had none (`fallback`).',
  }),
  detailAlias: setting('RUNS_API_DETAIL_ALIAS', flag(), {
    default: false,
    description: 'Whether errors repeat their message as `detail`, for clients that look for it there.',
  }),
  streamMs: setting('RUNS_API_STREAM_MS', milliseconds({ min: 1000, max: DAY_MS }), {
    default: HOUR_MS / 2,
    description: 'How long an event stream stays open. It then ends between two events, and the client resumes.',
  }),
}) {}
