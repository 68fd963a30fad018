import {
  GOLDEN_CLIENT_OUTPUT,
  GOLDEN_CLIENT_TOOL,
  GOLDEN_QUESTION,
  type GoldenRequest,
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

goldenStreams({
  name: 'ag-kit',
  ask: (scenario) => ask(scenario === 'client-tool' ? { tools } : {}),
  then: { 'client-tool': [toolResult], approval: [approval] },
});

goldenStreams(
  {
    name: 'ag-kit/bot',
    wire: 'ag-kit-bot',
    ask: () => ({ path: '/v1/aibot/bots/worker/send-message', body: { msg: GOLDEN_QUESTION } }),
  },
  ['text', 'reasoning', 'approval', 'failure-after', 'cancel'],
);
