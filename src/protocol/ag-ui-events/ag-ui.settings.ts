import { choice, setting, settings } from '../../config/index.js';

/** Settings of AG-UI and of the protocols that are built on it. */
export class AgUiSettings extends settings('AG-UI', {
  keyCase: setting('AGUI_KEY_CASE', choice('auto', 'camel', 'both', 'snake'), {
    default: 'auto',
    description:
      'How the keys of AG-UI events are written: `camel` for camelCase, `both` for camelCase with snake_case copies, or `snake`. `auto` is `camel` for clients that send `protocolVersion` and `both` for others.',
  }),
  busyPolicy: setting('AGUI_BUSY_POLICY', choice('reject', 'enqueue', 'interrupt', 'rollback'), {
    default: 'interrupt',
    description:
      'What happens to a request on a thread whose run is in progress: it is refused (`reject`), waits (`enqueue`), cancels that run and keeps its messages (`interrupt`), or cancels that run and discards its messages (`rollback`). Applies to CopilotKit too.',
  }),
  onDisconnect: setting('AGUI_ON_DISCONNECT', choice('continue', 'cancel'), {
    default: 'continue',
    description:
      'What happens to a run when its AG-UI client disconnects. CopilotKit clients cancel runs with a request.',
  }),
}) {}
