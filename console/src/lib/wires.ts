/** What people call the wires, by their names at the server, in the order of every list. */
const TITLES = {
  'agent-api': 'Agent API',
  responses: 'OpenAI Responses',
  'chat-completions': 'OpenAI Chat Completions',
  'ai-sdk': 'AI SDK',
  'ag-ui': 'AG-UI',
  copilotkit: 'CopilotKit',
  'ag-kit': 'AG-Kit',
  'ag-kit-ag-ui': 'AG-Kit, AG-UI',
  'ag-kit-bot': 'AG-Kit, bots',
  runs: 'Runs API',
  a2a: 'A2A',
  'a2a-0.3': 'A2A 0.3',
  mcp: 'MCP',
} as const;

/** The name of a wire that the console knows. */
export type WireName = keyof typeof TITLES;

/** Those that have a title. */
const KNOWN = Object.keys(TITLES);
/** Other frames of a wire: their runs are those of AG-Kit. */
const DIALECTS: ReadonlySet<string> = new Set(['ag-kit-ag-ui', 'ag-kit-bot'] satisfies readonly WireName[]);

/** The wires that a run can come over. */
export const RUN_WIRES: readonly string[] = KNOWN.filter((name) => !DIALECTS.has(name));

/** Talk has no client for these: an older version of a wire, and one whose clients are models. */
const NOT_IN_TALK = ['a2a-0.3', 'mcp'] as const satisfies readonly WireName[];
/** A wire that Talk has a client for. */
export type TalkWire = Exclude<WireName, (typeof NOT_IN_TALK)[number] | 'ag-kit-ag-ui' | 'ag-kit-bot'>;

/** The wires of Talk. */
export const TALK_WIRES = RUN_WIRES.filter((name) => !(NOT_IN_TALK as readonly string[]).includes(name)) as TalkWire[];

/** What people call a wire; its name if the console does not know it. */
export function wireTitle(name: string): string {
  return name in TITLES ? TITLES[name as WireName] : name;
}

/** Names of wires in the order of the console; those that it does not know come last. */
export function inOrder(names: readonly string[]): readonly string[] {
  return [...KNOWN.filter((name) => names.includes(name)), ...names.filter((name) => !KNOWN.includes(name))];
}
