import { ResponsesDriver } from '../../support/responses-driver.js';

interface Compacted {
  readonly object: string;
  readonly output: readonly { readonly type: string; readonly encrypted_content?: string }[];
}

describe('a compacted conversation', () => {
  let driver: ResponsesDriver;

  beforeAll(async () => {
    driver = await ResponsesDriver.start();
  });
  afterAll(() => driver.server.close());

  async function compacted(): Promise<Compacted> {
    const made = await driver.post({ input: 'My secret is grapes.' });
    const { id } = (await made.json()) as { id: string };
    const answer = await fetch(`${driver.server.url}/v1/responses/compact`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'x', previous_response_id: id }),
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Compacted;
  }

  it('a conversation continues from its sealed content, which only this server can read', async () => {
    const { object, output } = await compacted();
    expect(object).toBe('response.compaction');
    expect(output.map(({ type }) => type)).toEqual(['message', 'compaction']);
    const sealed = output[1]?.encrypted_content ?? '';
    expect(Buffer.from(sealed.split(':')[2] ?? '', 'base64url').toString('latin1')).not.toContain('grapes');
    const more = [...output, { role: 'user', content: 'Hello.' }];
    expect(await (await driver.post({ input: more })).json()).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['changed', (sealed: string) => sealed.slice(0, -2) + (sealed.endsWith('A') ? 'BB' : 'AA')],
    ['made by another server', () => 'gAAAAABm'],
  ])('sealed content is refused if it was %s', async (_what, change) => {
    const { output } = await compacted();
    const input = [{ type: 'compaction', encrypted_content: change(output[1]?.encrypted_content ?? '') }];
    const answer = await driver.post({ input });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      error: {
        message: 'input[0].encrypted_content was not made by this server',
        type: 'invalid_request_error',
        param: 'input[0].encrypted_content',
        code: 'invalid_value',
      },
    });
  });
});
