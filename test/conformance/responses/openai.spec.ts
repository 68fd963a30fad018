import type OpenAI from 'openai';
import { bootResponses, type ResponsesServer, toolScript } from '../../support/responses-server.js';

const SKY = 'The sky is blue today.';

describe('openai', () => {
  let server: ResponsesServer;
  let client: OpenAI;

  beforeAll(async () => {
    server = await bootResponses((upstream) => {
      upstream.onMessage('plain text', { content: SKY });
      upstream.onMessage('reasoned text', { content: 'So it is.', reasoning: 'Let me think.' });
      toolScript(upstream, 'server tool', [{ name: 'get_weather', arguments: '{"city":"Paris"}', id: 'c1' }], 'Fine.');
    });
    client = server.client;
  });
  afterAll(() => server.close());

  it('creates', async () => {
    const response = await client.responses.create({ model: 'any_name', input: 'plain text' });
    expect(response).toMatchObject({ output_text: SKY, status: 'completed', model: 'any_name' });
    expect(response._request_id).toBeTruthy();
  });

  it('streams', async () => {
    const types: string[] = [];
    for await (const event of await client.responses.create({ model: 'x', input: 'plain text', stream: true }))
      types.push(event.type);
    expect(types[0]).toBe('response.created');
    expect(types.at(-1)).toBe('response.completed');
  });
  it('tool', async () => {
    const response = await client.responses.create({ model: 'any_name', input: 'server tool' });
    expect(response.output.map(({ type }) => type)).toEqual(['mcp_call', 'message']);
  });
});
