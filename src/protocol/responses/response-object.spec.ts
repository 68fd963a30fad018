import { type ResponseBody, ResponseJson, responseObject } from './response-object.js';
import { responseInfo } from './response-info.js';

const info = responseInfo({
  runId: 'resp_1',
  agentType: 'worker',
  createdAt: 1_700_000_000_500,
  sessionId: 'session "1"',
});

describe('the response object as JSON', () => {
  const bodies: ResponseBody[] = [
    { status: 'queued' },
    { status: 'failed', error: { type: 'server_error', code: null, param: null, message: 'It "failed"' } as never },
    { status: 'incomplete', reason: 'max_output_tokens', output: [{ id: 'msg_1', type: 'message' } as never] },
    { status: 'completed', completedAt: 1_700_000_001, usage: { input_tokens: 1, total_tokens: 1 } as never },
  ];

  it.each(bodies)('is equal to that of the object: $status', (body) => {
    const json = new ResponseJson(info);
    for (let times = 0; times < 2; times += 1) expect(json.of(body)).toBe(JSON.stringify(responseObject(info, body)));
  });
});
