import { Metrics } from '../../../common/index.js';
import { JsonEntry } from '../../../config/index.js';
import type { AttachmentSource } from '../../attachment/index.js';
import type { RemoteAgentOptions } from '../../ports/remote-agents.js';
import { readRemoteEntry } from '../../remote/remote-config.js';
import { RemoteMetrics } from '../../remote/remote.metrics.js';
import { createRemoteAgent } from '../remote/remote-agents.js';
import type { RemoteAgent } from '../remote/remote-agent.js';
import { RemoteNames } from '../remote/remote-names.js';

/** A remote agent of its own, as an entry of `REMOTE_AGENTS` configures it. @param headerSource of `remoteAgent()` */
export function remoteAgentFor(
  fields: Readonly<Record<string, unknown>>,
  headerSource?: RemoteAgentOptions['headerSource'],
): RemoteAgent {
  const entry = new JsonEntry('travel', fields, {}, 'remote agent');
  const config = readRemoteEntry(entry);
  if (!config) throw new Error(entry.problems.join('; '));
  const attachments: AttachmentSource = {
    read: () => Promise.resolve(undefined),
    signedUrl: () => Promise.resolve(undefined),
  };
  const parts = {
    attachments,
    metrics: new RemoteMetrics(new Metrics()),
    names: new RemoteNames(() => 'a secret of the test'),
    approvalExpiresInMs: 60_000,
  };
  return createRemoteAgent(config, parts, headerSource);
}
