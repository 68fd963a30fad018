import {
  type ConfigurationProblem,
  keyList,
  MIB,
  ServerSettings,
  setting,
  settings,
  text,
} from '../../config/index.js';
import { addressReason, needsAddress, readRemoteAgents, type RemoteAgentConfig } from './remote-config.js';

/** The agents that run elsewhere. */
export class RemoteSettings extends settings('Remote agents', {
  agentsJson: setting('REMOTE_AGENTS', text(MIB), {
    unset: 'none',
    secret: true,
    description:
      'Agents that run elsewhere, as agents of this server: a JSON object such as `{"agents":{"travel":{"type":"responses","url":"https://travel.example/v1","headers":{"authorization":"Bearer ${TRAVEL_TOKEN}"}}}}`. See [remote agents](remote-agents.md).',
  }),
  agentsFile: setting('REMOTE_AGENTS_FILE', text(4096), {
    unset: 'none',
    description: 'A JSON file with more remote agents, in the same shape.',
  }),
  keys: setting('REMOTE_AGENTS_KEYS', keyList(), {
    unset: 'a generated key in `DATA_DIR`',
    secret: true,
    description:
      'Keys from which the names of users and conversations are made that remote agents see, as `kid:secret` separated by commas. The first is used. All instances need the same one.',
  }),
}) {
  readonly #reading = readRemoteAgents({ json: this.agentsJson, file: this.agentsFile, env: this.source.env });

  /** The agents of both settings. */
  readonly agents: readonly RemoteAgentConfig[] = this.#reading.agents;

  readonly #hasAddress = this.source.slice(ServerSettings).publicBases.length > 0;

  override problems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    const signed = this.#hasAddress || unusable.has('PUBLIC_BASE_URL') ? undefined : this.agents.find(needsAddress);
    const missing = signed && { name: 'PUBLIC_BASE_URL', message: `must be set, because ${addressReason(signed)}` };
    return missing ? [...this.#reading.problems, missing] : this.#reading.problems;
  }
}
