import type { WireChoice } from '../wire.js';

/** The wires of Talk, in the order of the list. Each is loaded when it is chosen. */
export const WIRES: readonly [WireChoice, ...WireChoice[]] = [
  {
    name: 'agent-api',
    title: 'Agent API',
    client: 'fetch, server-sent events',
    hasAgents: false,
    hasTools: true,
    hasImages: true,
    load: async () => (await import('./agent-api.js')).agentApi(),
  },
  {
    name: 'responses',
    title: 'OpenAI Responses',
    client: 'openai',
    hasAgents: true,
    hasTools: true,
    hasImages: true,
    load: async () => (await import('./responses.js')).responses(),
  },
  {
    name: 'ag-ui',
    title: 'AG-UI',
    client: '@ag-ui/client',
    hasAgents: true,
    hasTools: true,
    hasImages: true,
    load: async () => (await import('./ag-ui.js')).agUi(),
  },
  {
    name: 'copilotkit',
    title: 'CopilotKit',
    client: '@ag-ui/client on the routes of CopilotKit',
    hasAgents: true,
    hasTools: true,
    hasImages: true,
    load: async () => (await import('./ag-ui.js')).copilotKit(),
  },
  {
    name: 'ag-kit',
    title: 'AG-Kit',
    client: 'fetch, server-sent events',
    hasAgents: true,
    hasTools: true,
    hasImages: false,
    load: async () => (await import('./ag-kit.js')).agKit(),
  },
  {
    name: 'runs',
    title: 'Runs API',
    client: 'fetch, EventSource',
    hasAgents: true,
    hasTools: false,
    hasImages: true,
    load: async () => (await import('./runs.js')).runs(),
  },
];
