import {
  GOLDEN_CLIENT_OUTPUT,
  GOLDEN_CLIENT_TOOL,
  GOLDEN_QUESTION,
  type GoldenRequest,
  type GoldenScenario,
  goldenStreams,
} from '../support/golden.js';

const conversation = { conversationId: 's1' };
const tools = [{ ...GOLDEN_CLIENT_TOOL, parameters: JSON.stringify(GOLDEN_CLIENT_TOOL.parameters) }];

function ask(fields: object = {}): GoldenRequest {
  const messages = [{ role: 'user', content: GOLDEN_QUESTION }];
  return { path: '/send-message', body: { ...conversation, messages, ...fields } };
}

function toolResult(): GoldenRequest {
  const messages = [{ role: 'tool', toolCallId: 'call_map', content: GOLDEN_CLIENT_OUTPUT }];
  return { path: '/send-message', body: { ...conversation, messages, tools } };
}

function approval(answers: readonly string[]): GoldenRequest {
  const interruptId = /"type":"interrupt","id":"([^"]+)"/.exec(answers[0] ?? '')?.[1];
  const resume = { interruptId, payload: JSON.stringify({ approved: true }) };
  return { path: '/send-message', body: { ...conversation, resume, tools: [] } };
}

const SCENARIOS: readonly GoldenScenario[] = [
  'text',
  'reasoning',
  'server-tool',
  'parallel-tools',
  'client-tool',
  'approval',
  'failure-before',
  'failure-after',
  'cancel',
];

goldenStreams(
  {
    name: 'ag-kit',
    requests: (scenario) => {
      if (scenario === 'client-tool') return [ask({ tools }), toolResult()];
      return scenario === 'approval' ? [ask(), approval] : [ask()];
    },
  },
  SCENARIOS,
);

goldenStreams(
  {
    name: 'ag-kit/bot',
    requests: () => [{ path: '/v1/aibot/bots/worker/send-message', body: { msg: GOLDEN_QUESTION } }],
  },
  ['text', 'reasoning', 'approval', 'failure-after', 'cancel'],
);
