import type { RemoteAgentView } from '../../agent/index.js';
import type { ToolServerState } from '../../agent/tools/index.js';

/** Checks the database. Bound by the composition root. */
export abstract class ReadinessProbe {
  /** Resolves if the database answers. @throws the driver's error, which is never shown to a client */
  abstract ping(): Promise<void>;
}

/** Knows the state of the servers that provide tools. Bound by the composition root. */
export abstract class ToolServersProbe {
  /** In the order of the configuration. Sends no request and never throws. */
  abstract servers(): readonly ToolServerState[];
}

/** How a remote agent is. */
export type RemoteAgentState = Pick<RemoteAgentView, 'name' | 'state' | 'required'>;

/** Knows the state of the remote agents. Bound by the composition root. */
export abstract class RemoteAgentsProbe {
  /** In the order of the configuration. Sends no request and never throws. */
  abstract views(): readonly RemoteAgentState[];
}
