import {
  GOLDEN_CLIENT_OUTPUT,
  GOLDEN_CLIENT_TOOL,
  GOLDEN_QUESTION,
  type GoldenRequest,
  goldenStreams,
} from '../support/golden.js';
import { parseResponseFrames } from '../support/responses-reader.js';

const tools = [{ type: 'function', strict: true, ...GOLDEN_CLIENT_TOOL }];

function create(fields: object): GoldenRequest {
  return { path: '/v1/responses', body: { model: 'worker', stream: true, ...fields } };
}

function goOn(answers: readonly string[], input: (lastItem: string) => object): GoldenRequest {
  const { events } = parseResponseFrames(answers[0] ?? '');
  const response = events.at(-1)?.response;
  const last = response?.output.at(-1);
  return create({ tools, previous_response_id: response?.id, input: [input(last?.id ?? '')] });
}

goldenStreams({
  name: 'responses',
  ask: (scenario) => create({ input: GOLDEN_QUESTION, ...(scenario === 'client-tool' && { tools }) }),
  then: {
    'client-tool': [
      (answers) =>
        goOn(answers, () => ({ type: 'function_call_output', call_id: 'call_map', output: GOLDEN_CLIENT_OUTPUT })),
    ],
    approval: [
      (answers) => goOn(answers, (id) => ({ type: 'mcp_approval_response', approval_request_id: id, approve: true })),
    ],
  },
});
