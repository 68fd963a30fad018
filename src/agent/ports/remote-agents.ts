import type { FactoryProvider } from '@nestjs/common';
import type { Agent } from '../agent.js';
import type { RemoteKind } from '../remote/remote-config.js';

/** What people are shown of a remote agent. Contains no secret. */
export interface RemoteAgentView {
  /** Its agent type. */
  readonly name: string;
  readonly kind: RemoteKind;
  /** Where it is, without secrets. */
  readonly address: string;
  readonly description: string;
  readonly exposure: 'public' | 'internal';
  /** Whether the server is not ready while it does not answer. */
  readonly required: boolean;
  /** What becomes of an exchange whose connection or process is lost. */
  readonly onLoss: 'continue' | 'fail' | 'resend';
  /** `idle`: not asked yet. `down`: the last request did not reach it. */
  readonly state: 'idle' | 'up' | 'down';
  /** Runs that it is working on for this process. */
  readonly inFlight: number;
  /** Connections that were lost and made again, since the process started. */
  readonly reattachments: number;
  /** The last failure; null if there was none. */
  readonly lastError: { readonly at: Date; readonly code: string; readonly message: string } | null;
}

/** A remote agent in code: the keys of an entry of `REMOTE_AGENTS`, and headers that are made for each exchange. */
export interface RemoteAgentOptions {
  /** Its agent type. */
  readonly name: string;
  readonly type: RemoteKind;
  readonly url: string;
  /** Headers for one exchange, such as a token from a secret store. Their values are secrets. */
  readonly headerSource?: () => Promise<Readonly<Record<string, string>>>;
  /** Any other key of an entry of `REMOTE_AGENTS`. */
  readonly [key: string]: unknown;
}

/**
 * A provider of a remote agent, for modules of a team's own: `providers: [remoteAgent({ name: 'travel', … })]`.
 *
 * @throws StartupError when the application starts, for options that cannot be used
 */
export function remoteAgent(options: RemoteAgentOptions): FactoryProvider<RemoteAgentHandle> {
  return {
    provide: `remote agent ${options.name}`,
    useFactory: (remotes: RemoteAgents) => remotes.create(options),
    inject: [RemoteAgents],
  };
}

/** An agent that runs elsewhere. */
export interface RemoteAgentHandle extends Agent {
  readonly remote: RemoteAgentView;
}

/** The configured agents that run elsewhere (contract gateway). */
export abstract class RemoteAgents {
  /** Each of a class of its own with `@AgentType()`. */
  abstract readonly agents: readonly RemoteAgentHandle[];

  /** Makes an agent that is given in code. @throws StartupError for options that cannot be used */
  abstract create(options: RemoteAgentOptions): RemoteAgentHandle;
  /** What people are shown of all of them, also of those that are given in code. */
  abstract views(): readonly RemoteAgentView[];
}

/** True for an agent that runs elsewhere. */
export function isRemoteAgent(agent: Agent): agent is RemoteAgentHandle {
  return 'remote' in agent;
}
