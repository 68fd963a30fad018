import { VERSION } from '../../health/index.js';

/** An agent as the runtime lists it. */
export interface RuntimeAgent {
  readonly name: string;
  readonly description: string;
  readonly className: string;
  readonly capabilities: object;
}

/** The answer of `GET /info`. */
export interface RuntimeInfo {
  readonly version: string;
  readonly agents: Readonly<Record<string, RuntimeAgent>>;
  readonly audioFileTranscriptionEnabled: boolean;
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

/** What this runtime can do, for the given agents. */
export function runtimeInfo(
  agents: readonly { readonly id: string; readonly name: string; readonly description: string }[],
): RuntimeInfo {
  return {
    version: VERSION,
    agents: Object.fromEntries(
      agents.map(({ id, name, description }) => [
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

/** What every agent of this server can do (contract ag-ui, section 1.3). */
export function agentCapabilities(): object {
  return {
    transport: { streaming: true, httpBinary: true, resumable: true },
    tools: { supported: true, parallelCalls: true, clientProvided: true },
    state: { snapshots: true, deltas: true, persistentState: true },
    reasoning: { supported: true, streaming: true },
    multimodal: { input: { image: true, audio: true, file: true } },
    humanInTheLoop: { supported: true, approvals: true, interrupts: true, approveWithEdits: true },
  };
}
