import { TALK_WIRES, type TalkWire } from '../../lib/wires.js';
import type { WireChoice } from '../wire.js';

/** The clients of the wires. Each is loaded when it is chosen. */
const CLIENTS: Readonly<Record<TalkWire, Omit<WireChoice, 'name'>>> = {
  'agent-api': {
    client: 'fetch, server-sent events',
    hasAgents: false,
    hasTools: true,
    hasImages: true,
    load: async () => (await import('./agent-api.js')).agentApi(),
  },
  responses: {
    client: 'openai',
    hasAgents: true,
    hasTools: true,
    hasImages: true,
    load: async () => (await import('./responses.js')).responses(),
  },
  'chat-completions': {
    client: 'openai',
    hasAgents: true,
    hasTools: true,
    hasImages: true,
    load: async () => (await import('./chat-completions.js')).chatCompletions(),
  },
  'ai-sdk': {
    client: 'ai',
    hasAgents: true,
    hasTools: true,
    hasImages: true,
    load: async () => (await import('./ai-sdk.js')).aiSdk(),
  },
  'ag-ui': {
    client: '@ag-ui/client',
    hasAgents: true,
    hasTools: true,
    hasImages: true,
    load: async () => (await import('./ag-ui.js')).agUi(),
  },
  copilotkit: {
    client: '@ag-ui/client on the routes of CopilotKit',
    hasAgents: true,
    hasTools: true,
    hasImages: true,
    load: async () => (await import('./ag-ui.js')).copilotKit(),
  },
  'ag-kit': {
    client: 'fetch, server-sent events',
    hasAgents: true,
    hasTools: true,
    hasImages: false,
    load: async () => (await import('./ag-kit.js')).agKit(),
  },
  runs: {
    client: 'fetch, EventSource',
    hasAgents: true,
    hasTools: false,
    hasImages: true,
    load: async () => (await import('./runs.js')).runs(),
  },
  a2a: {
    client: 'fetch, server-sent events',
    hasAgents: true,
    hasTools: true,
    hasImages: true,
    load: async () => (await import('./a2a.js')).a2a(),
  },
};

/** The wires of Talk, in the order of the list. */
export const WIRES: readonly WireChoice[] = TALK_WIRES.map(choiceOf);

/** The wire with a name; the first of the list for any other. */
export function wireChoice(name: string | null): WireChoice {
  return WIRES.find((one) => one.name === name) ?? choiceOf('agent-api');
}

function choiceOf(name: TalkWire): WireChoice {
  return { name, ...CLIENTS[name] };
}
