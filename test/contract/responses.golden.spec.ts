import {
  GOLDEN_CLIENT_OUTPUT,
  GOLDEN_CLIENT_TOOL,
  GOLDEN_QUESTION,
  type GoldenRequest,
  type GoldenScenario,
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

goldenStreams(
  {
    name: 'responses',
    requests: (scenario: GoldenScenario) => {
      const output = { type: 'function_call_output', call_id: 'call_map', output: GOLDEN_CLIENT_OUTPUT };
      const ask = create({ input: GOLDEN_QUESTION, ...(scenario === 'client-tool' && { tools }) });
      if (scenario === 'client-tool') return [ask, (answers) => goOn(answers, () => output)];
      if (scenario !== 'approval') return [ask];
      const approve = (id: string): object => ({
        type: 'mcp_approval_response',
        approval_request_id: id,
        approve: true,
      });
      return [ask, (answers) => goOn(answers, approve)];
    },
  },
  [
    'text',
    'reasoning',
    'server-tool',
    'parallel-tools',
    'client-tool',
    'approval',
    'failure-before',
    'failure-after',
    'cancel',
  ],
);
