import { createAnthropic } from '@ai-sdk/anthropic';
import type { ModelMessage } from '../../ports/model-client.js';
import { collect, request, user } from '../testing/collect.js';
import { anthropicAnswer } from '../testing/provider-streams.js';
import { rawUpstream } from '../testing/raw-upstream.js';
import { KEY } from '../testing/upstream-client.js';
import { AiSdkModelClient } from './ai-sdk-model-client.js';

const SETTINGS = { firstTokenTimeoutMs: 5_000, idleTimeoutMs: 5_000, maxRetries: 0 };

describe('tools through the AI SDK interface', () => {
  it('they have valid names and schemas, their own names in the answer, and exact integers in the history', async () => {
    const big = '{"id":2512292042121000001}';
    const upstream = await rawUpstream(
      anthropicAnswer([{ tool: 'files_read', id: 'toolu_1', input: [big] }], 'tool_use'),
    );
    const { seen } = upstream;
    const model = createAnthropic({ baseURL: upstream.url, apiKey: KEY })('claude-sonnet-4-5');
    const client = new AiSdkModelClient(model, SETTINGS, { read: () => Promise.resolve(undefined) });
    const own = { name: 'files.read', description: 'Reads', parameters: {} };
    const messages: ModelMessage[] = [
      user('Look'),
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'files.read', arguments: big }] },
      { role: 'tool', callId: 'a', name: 'files.read', content: 'sunny' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'b', name: 'files.read', arguments: 'null' }] },
      { role: 'tool', callId: 'b', name: 'files.read', content: 'rainy' },
    ];
    const made = await collect(client, request(messages, [own]));
    expect(made.calls).toEqual([{ id: 'toolu_1', name: 'files.read', arguments: big }]);
    const schema = { type: 'object', properties: {} };
    expect(seen[0]?.body['tools']).toMatchObject([{ name: 'files_read', input_schema: schema }]);
    expect(JSON.stringify(seen[0]?.body)).toContain('"name":"files_read","input":{"id":"2512292042121000001"}');
    expect(JSON.stringify(seen[0]?.body)).toContain('"name":"files_read","input":{}');
    expect(JSON.stringify(seen[0]?.body)).not.toContain('files.read');
    await upstream.close();
  });
});
