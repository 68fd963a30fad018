import { choice, flag, setting, settings } from '../../config/index.js';

/** Settings of the Agent API. */
export class AgentApiSettings extends settings('Agent API', {
  busyPolicy: setting('SESSION_BUSY_POLICY', choice('reject', 'enqueue'), {
    default: 'reject',
    description:
      'What happens to a request on a session whose run is in progress: it is refused (`reject`) or waits (`enqueue`).',
  }),
  doneFrame: setting('AGENT_API_DONE_FRAME', flag(), {
    default: true,
    description: 'Whether a stream ends with `data: [DONE]`.',
  }),
}) {}
