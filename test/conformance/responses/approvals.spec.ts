import type OpenAI from 'openai';
import { GoldenTools } from '../../support/golden-scripts.js';
import { bootResponses, type ResponsesServer, toolScript } from '../../support/responses-server.js';

describe('approvals over Responses', () => {
  let server: ResponsesServer;
  let client: OpenAI;

  beforeAll(async () => {
    server = await bootResponses(
      (upstream) => {
        const open = [{ name: 'open_window', arguments: '{"room":"kitchen"}', id: 'c1' }];
        toolScript(upstream, 'open the window', open, 'As you say.');
      },
      {},
      { providers: [GoldenTools] },
    );
    client = server.client;
  });
  afterAll(() => server.close());

  async function asked(): Promise<{ id: string; requestId: string }> {
    const response = await client.responses.create({ model: 'x', input: 'open the window' });
    expect(response.status).toBe('completed');
    expect(response.output.map(({ type }) => type)).toEqual(['mcp_approval_request']);
    return { id: response.id, requestId: response.output[0]?.id ?? '' };
  }

  const answer = (id: string, requestId: string, approve: boolean): Promise<OpenAI.Responses.Response> =>
    client.responses.create({
      model: 'x',
      previous_response_id: id,
      input: [{ type: 'mcp_approval_response', approval_request_id: requestId, approve }],
    });

  it('makes an approved call and shows it with its request', async () => {
    const { id, requestId } = await asked();
    const response = await answer(id, requestId, true);
    expect(response.output).toMatchObject([
      {
        type: 'mcp_call',
        approval_request_id: requestId,
        name: 'open_window',
        arguments: '{"room":"kitchen"}',
        output: 'The window of the kitchen is open.',
      },
      { type: 'message' },
    ]);
    expect(response.output_text).toBe('As you say.');
    await expect(answer(id, requestId, true)).rejects.toMatchObject({ status: 400 });
  });

  it('shows nothing but the answer for a call that was refused', async () => {
    const { id, requestId } = await asked();
    const response = await answer(id, requestId, false);
    expect(response.output.map(({ type }) => type)).toEqual(['message']);
  });

  it('refuses an answer to nothing', async () => {
    const { id } = await asked();
    await expect(answer(id, 'apr_none', true)).rejects.toMatchObject({ status: 404, param: 'input' });
  });
});
