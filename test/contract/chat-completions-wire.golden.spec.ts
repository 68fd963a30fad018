import {
  GOLDEN_CLIENT_OUTPUT,
  GOLDEN_CLIENT_TOOL,
  GOLDEN_QUESTION,
  type GoldenRequest,
  goldenStreams,
} from '../support/golden.js';

const APPROVAL_TOOL = { name: 'request_approval', parameters: { type: 'object', properties: {} } };
const question = { role: 'user', content: GOLDEN_QUESTION };

function ask(...tools: readonly object[]): GoldenRequest {
  const body = { model: 'worker', messages: [question], stream: true, stream_options: { include_usage: true } };
  const declared = tools.map((tool) => ({ type: 'function', function: tool }));
  return { path: '/v1/chat/completions', body: tools.length === 0 ? body : { ...body, tools: declared } };
}

/** The answer to the calls of the first stream. */
function answer(content: string, ...tools: readonly object[]) {
  return ([first = '']: readonly string[]): GoldenRequest => {
    const call = /"tool_calls":\[\{"index":0,(.*?)\}\]\},"logprobs"/.exec(first)?.[1] ?? '';
    const made = JSON.parse(`{${call}}`) as { id: string };
    const { path, body } = ask(...tools);
    const messages = [
      question,
      { role: 'assistant', content: null, tool_calls: [made] },
      { role: 'tool', tool_call_id: made.id, content },
    ];
    return { path, body: { ...(body as object), messages } };
  };
}

goldenStreams({
  name: 'chat-completions',
  ask: (scenario) =>
    scenario === 'client-tool' ? ask(GOLDEN_CLIENT_TOOL) : scenario === 'approval' ? ask(APPROVAL_TOOL) : ask(),
  then: {
    'client-tool': [answer(GOLDEN_CLIENT_OUTPUT, GOLDEN_CLIENT_TOOL)],
    approval: [answer('approved', APPROVAL_TOOL)],
  },
});
