import { type CarriedHeaders, StartupError } from '../../../common/index.js';
import {
  type Fingerprints,
  JsonEntry,
  keyFingerprints,
  keyRing,
  type ServerKey,
  type ServerSettings,
} from '../../../config/index.js';
import type { ToolSettings } from '../../tools/index.js';
import {
  type RemoteAgentHandle,
  type RemoteAgentOptions,
  RemoteAgents,
  type RemoteAgentView,
} from '../../ports/remote-agents.js';
import {
  addressReason,
  needsAddress,
  readRemoteEntry,
  type RemoteAgentConfig,
  type RemoteKind,
} from '../../remote/remote-config.js';
import type { RemoteSettings } from '../../remote/remote.settings.js';
import { A2aProtocol } from './a2a/a2a-protocol.js';
import { AgentScopeProtocol } from './agentscope/agentscope-protocol.js';
import { AgentApiProtocol } from './agent-api/agent-api-protocol.js';
import { AgUiProtocol } from './ag-ui/ag-ui-protocol.js';
import { type RemoteAgent, remoteAgentOf, type RemoteParts } from './remote-agent.js';
import type { RemoteProtocol } from './remote-kind.js';
import { RemoteNames } from './remote-names.js';
import { ResponsesProtocol } from './responses/responses-protocol.js';

/** The file of the generated key, in the data folder. */
const KEY_FILE = 'remote-agents.key';

/** The protocols by kind. */
const PROTOCOLS: Readonly<Record<RemoteKind, new (config: RemoteAgentConfig) => RemoteProtocol>> = {
  responses: ResponsesProtocol,
  'ag-ui': AgUiProtocol,
  a2a: A2aProtocol,
  'agent-api': AgentApiProtocol,
  'agentscope-2': AgentScopeProtocol,
};

/** The settings that remote agents are made with. */
export interface RemoteAgentsSettings {
  readonly remote: RemoteSettings;
  readonly server: ServerSettings;
  readonly tools: ToolSettings;
}

/** What the remote agents of a server are made with. */
export interface RemoteAgentsParts extends Pick<RemoteParts, 'attachments' | 'metrics'> {
  readonly fingerprints: Fingerprints;
  /** Gets the names of the headers that remote agents get. */
  readonly carries: CarriedHeaders;
}

/** The remote agents of the settings. */
export function createRemoteAgents(
  { remote, server, tools }: RemoteAgentsSettings,
  { attachments, metrics, fingerprints, carries }: RemoteAgentsParts,
): RemoteAgents {
  const keys = (): readonly ServerKey[] => keyRing(remote.keys, server.dataDir, KEY_FILE);
  const names = new RemoteNames(() => keys()[0]?.secret ?? '');
  if (remote.agents.length > 0) {
    fingerprints.add('REMOTE_AGENTS_KEYS', () => keyFingerprints('REMOTE_AGENTS_KEYS', keys()));
  }
  const { approvalExpiresInMs } = tools;
  const parts = { attachments, metrics, names, approvalExpiresInMs };
  return new ConfiguredRemoteAgents(remote.agents, parts, carries, server.publicBases.length > 0);
}

/** The remote agents of the configuration, and the maker of those that are given in code. */
class ConfiguredRemoteAgents extends RemoteAgents {
  readonly agents: readonly RemoteAgentHandle[];
  private readonly made: RemoteAgent[];

  constructor(
    configs: readonly RemoteAgentConfig[],
    private readonly parts: RemoteParts,
    private readonly carries: CarriedHeaders,
    /** Whether others can reach this server at a configured address. */
    private readonly hasAddress: boolean,
  ) {
    super();
    this.made = configs.map((config) => this.make(config));
    this.agents = [...this.made];
  }

  create({ name, headerSource, ...fields }: RemoteAgentOptions): RemoteAgentHandle {
    const entry = new JsonEntry(name, fields, {}, 'remote agent');
    const config = readRemoteEntry(entry);
    if (!config) throw new StartupError(entry.problems.join('; '));
    if (needsAddress(config) && !this.hasAddress)
      throw new StartupError(`PUBLIC_BASE_URL must be set, because ${addressReason(config)}`);
    const agent = this.make(config, headerSource);
    this.made.push(agent);
    return agent;
  }

  views(): readonly RemoteAgentView[] {
    return this.made.map(({ remote }) => remote);
  }

  /** All agents are made: required upstreams are asked whether they answer. */
  onApplicationBootstrap(): void {
    for (const agent of this.made) agent.watch();
  }

  /** Ends all connections. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.made.map((agent) => agent.close()));
  }

  private make(config: RemoteAgentConfig, headerSource?: RemoteAgentOptions['headerSource']): RemoteAgent {
    this.carries.add(config.forwardHeaders);
    return createRemoteAgent(config, this.parts, headerSource);
  }
}

/** Makes one remote agent. */
export function createRemoteAgent(
  config: RemoteAgentConfig,
  parts: RemoteParts,
  headerSource?: RemoteAgentOptions['headerSource'],
): RemoteAgent {
  return remoteAgentOf(config, new PROTOCOLS[config.type](config), parts, headerSource);
}
