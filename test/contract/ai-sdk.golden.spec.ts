import {
  GOLDEN_CLIENT_OUTPUT,
  GOLDEN_CLIENT_TOOL,
  GOLDEN_QUESTION,
  type GoldenRequest,
  goldenStreams,
} from '../support/golden.js';

const QUESTION = { id: 'm1', role: 'user', parts: [{ type: 'text', text: GOLDEN_QUESTION }] };
const TOOLS = [{ ...GOLDEN_CLIENT_TOOL, inputSchema: GOLDEN_CLIENT_TOOL.parameters }];

function ask(tools?: readonly object[]): GoldenRequest {
  return { path: '/ai-sdk', body: { id: 's1', messages: [QUESTION], ...(tools && { tools }) } };
}

/** The answer of the page to the part of the first stream. */
function answer(part: object) {
  return ([first = '']: readonly string[]): GoldenRequest => {
    const id = /"messageId":"([^"]+)"/.exec(first)?.[1] ?? '';
    const approvalId = /"approvalId":"([^"]+)"/.exec(first)?.[1];
    const own = approvalId === undefined ? part : { ...part, approval: { id: approvalId, approved: true } };
    return { path: '/ai-sdk', body: { id: 's1', messages: [QUESTION, { id, role: 'assistant', parts: [own] }] } };
  };
}

goldenStreams({
  name: 'ai-sdk',
  ask: (scenario) => ask(scenario === 'client-tool' ? TOOLS : undefined),
  then: {
    'client-tool': [
      answer({
        type: 'tool-show_map',
        toolCallId: 'call_map',
        state: 'output-available',
        output: GOLDEN_CLIENT_OUTPUT,
      }),
    ],
    approval: [
      answer({ type: 'dynamic-tool', toolName: 'open_window', toolCallId: 'call_w', state: 'approval-responded' }),
    ],
  },
});
