import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { AgentRegistry } from '../../agent/index.js';
import { AppError, VERSION } from '../../common/index.js';

/** The name that an unmodified client gives its only agent. */
const DEFAULT_ID = 'default';

/** An agent as the runtime lists it. */
export interface RuntimeAgent {
  /** The name under which requests select the agent. */
  readonly name: string;
  readonly description: string;
  /** The same for all agents. */
  readonly className: string;
  /** As the AG-UI capabilities document has it. */
  readonly capabilities: object;
}

/** The answer of `GET /info`. */
export interface RuntimeInfo {
  readonly version: string;
  /** By id; the default agent, if the caller may run it, is listed as `default` too. */
  readonly agents: Readonly<Record<string, RuntimeAgent>>;
  readonly audioFileTranscriptionEnabled: boolean;
  /** Streams are server-sent events; this server has no WebSocket for this wire. */
  readonly mode: 'sse';
  readonly threadEndpoints: {
    readonly list: boolean;
    readonly inspect: boolean;
    readonly mutations: boolean;
    readonly realtimeMetadata: boolean;
  };
  readonly suggestions: boolean;
  readonly a2uiEnabled: boolean;
  readonly openGenerativeUIEnabled: boolean;
  readonly telemetryDisabled: boolean;
}

/** The agents of the runtime: those that the caller may run, and the default one also as `default`. */
@Injectable()
export class CopilotAgents {
  constructor(private readonly agents: AgentRegistry) {}

  /** What the runtime offers. */
  info({ authority }: Caller): RuntimeInfo {
    const listed = this.agents.listFor(authority);
    const fallback = listed.find(({ name }) => name === this.agents.defaultName);
    const named = listed.map((agent) => [agent.name, agent] as const);
    const all =
      fallback && !this.agents.isKnownTo(authority, DEFAULT_ID) ? [[DEFAULT_ID, fallback] as const, ...named] : named;
    return {
      version: VERSION,
      agents: Object.fromEntries(
        all.map(([id, { name, description }]) => [
          id,
          { name, description, className: 'ParleyAgent', capabilities: agentCapabilities() },
        ]),
      ),
      audioFileTranscriptionEnabled: false,
      mode: 'sse',
      threadEndpoints: { list: true, inspect: true, mutations: true, realtimeMetadata: false },
      suggestions: false,
      a2uiEnabled: false,
      openGenerativeUIEnabled: false,
      telemetryDisabled: true,
    };
  }

  /** The agent type of an id in a path; undefined for one that the caller may not run. */
  agentTypeOf(id: string, { authority }: Caller): string | undefined {
    const { defaultName } = this.agents;
    if (this.agents.isKnownTo(authority, id)) return id;
    const offersDefault = authority === null || this.agents.isKnownTo(authority, defaultName);
    return id === DEFAULT_ID && offersDefault ? defaultName : undefined;
  }

  /** @throws AppError AGENT_NOT_FOUND, also for an agent that the caller may not run */
  require(id: string, caller: Caller): void {
    if (this.agentTypeOf(id, caller) === undefined) throw new AppError('AGENT_NOT_FOUND', `There is no agent ${id}`);
  }
}

/** The capabilities of every agent (contract ag-ui, section 1.3). */
function agentCapabilities(): object {
  return {
    transport: { streaming: true, httpBinary: true, resumable: true },
    tools: { supported: true, parallelCalls: true, clientProvided: true },
    state: { snapshots: true, deltas: true, persistentState: true },
    reasoning: { supported: true, streaming: true },
    multimodal: { input: { image: true, audio: true, file: true } },
    humanInTheLoop: { supported: true, approvals: true, interrupts: true, approveWithEdits: true },
  };
}
