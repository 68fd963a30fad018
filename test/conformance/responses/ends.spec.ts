import { Database } from '../../../src/database/index.js';
import { ResponseRequests } from '../../../src/protocol/responses/response-requests.js';
import { SENDER } from '../../support/caller.js';
import { describeOnDatabases, type TestDatabase } from '../../support/databases.js';
import { openaiClient } from '../../support/openai-client.js';
import { BEGINNING, ResponsesDriver } from '../../support/responses-driver.js';
import { parseResponseFrames } from '../../support/responses-reader.js';
import { until } from '../../support/until.js';

const CUT = [{ type: 'message', status: 'incomplete', content: [{ type: 'output_text', text: BEGINNING }] }];

/** Reads a stream up to its first delta. */
async function firstDelta(answer: Response): Promise<void> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; !text.includes('output_text.delta');) text += (await reader?.read())?.value ?? '';
}

/** A response that was cut in the middle of its first answer, with what it has used all the same. */
function expectCut(response: Record<string, unknown>, status: string): void {
  expect(response).toMatchObject({ status, output: CUT });
  const usage = response['usage'] as { input_tokens: number; output_tokens: number; total_tokens: number };
  expect(usage.input_tokens).toBeGreaterThan(0);
  expect(usage.output_tokens).toBeGreaterThan(0);
  expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
}

describeOnDatabases('how a response ends', (open) => {
  let database: TestDatabase;
  let driver: ResponsesDriver;

  beforeAll(async () => {
    database = await open();
    driver = await ResponsesDriver.start({ database });
  });
  afterAll(async () => {
    await driver.server.close();
    await database.drop();
  });

  it('a response is cancelled when the client of its stream disconnects, and its conversation is free again', async () => {
    const made = await fetch(`${driver.server.url}/v1/conversations`, { method: 'POST' });
    const { id: conversation } = (await made.json()) as { id: string };
    const client = new AbortController();
    const answer = await driver.post({ input: 'hold', conversation, stream: true }, { signal: client.signal });
    const id = answer.headers.get('x-run-id') ?? '';
    await firstDelta(answer);
    client.abort();
    expect((await driver.ended(id))?.status).toBe('canceled');
    expectCut(await driver.response(id), 'cancelled');
    expect(await (await driver.post({ input: 'Hello.', conversation })).json()).toMatchObject({ status: 'completed' });
  });

  it('a refusal of the model is a completed message with a refusal part', async () => {
    const client = openaiClient(driver.server);
    const output = [
      { type: 'message', status: 'completed', content: [{ type: 'refusal', refusal: 'I cannot do that.' }] },
    ];
    const stream = client.responses.stream({ model: 'x', input: 'refuse' });
    const deltas: string[] = [];
    const done: string[] = [];
    stream.on('response.refusal.delta', ({ delta }) => deltas.push(delta));
    stream.on('response.refusal.done', ({ refusal }) => done.push(refusal));
    const final = await stream.finalResponse();
    expect([deltas.join(''), done]).toEqual(['I cannot do that.', ['I cannot do that.']]);
    expect(final).toMatchObject({ status: 'completed', output });
    expect(await client.responses.retrieve(final.id)).toMatchObject({ status: 'completed', output });
    expect(await client.responses.create({ model: 'x', input: 'refuse' })).toMatchObject({ output });
  });

  it('a response with text that a database cannot store as it is completes and is returned unchanged', async () => {
    const text = 'a\0b\ud800';
    const body = { input: text, instructions: text, metadata: { [text]: text } };
    const { id } = (await (await driver.post(body)).json()) as { id: string };
    expect(await driver.response(id)).toMatchObject({
      status: 'completed',
      instructions: text,
      metadata: { [text]: text },
    });
  });

  it('a response is cancelled when the client that waits for its JSON disconnects', async () => {
    const client = new AbortController();
    const begins = driver.begins();
    const headers = { 'idempotency-key': 'leaves' };
    const answer = driver.post({ input: 'hold' }, { signal: client.signal, headers }).catch(() => undefined);
    await begins;
    client.abort();
    await answer;
    const id = driver.server.get(ResponseRequests).responseId('leaves', SENDER, SENDER.principal);
    expect((await driver.ended(id))?.status).toBe('canceled');
    expectCut(await driver.response(id), 'cancelled');
  });

  it('a background response continues after its client disconnects and is stopped by a cancel only', async () => {
    const client = new AbortController();
    const body = { input: 'hold', background: true, stream: true };
    const answer = await driver.post(body, { signal: client.signal });
    const id = answer.headers.get('x-run-id') ?? '';
    await firstDelta(answer);
    client.abort();
    // The next answer is made behind the cancel that there must not be.
    await driver.post({ input: 'Hello.' });
    expect(await driver.response(id)).toMatchObject({ status: 'in_progress', usage: null });
    const cancel = async (): Promise<Record<string, unknown>> => {
      const cancelled = await fetch(`${driver.server.url}/v1/responses/${id}/cancel`, { method: 'POST' });
      expect(cancelled.status).toBe(200);
      return (await cancelled.json()) as Record<string, unknown>;
    };
    const first = await cancel();
    expectCut(first, 'cancelled');
    expect(await cancel()).toEqual(first);
  });

  it('a failure during the answer ends the stream with response.failed and the usage', async () => {
    const whole = (await (await driver.post({ input: 'break' })).json()) as Record<string, unknown>;
    expectCut(whole, 'failed');
    expect(whole['error']).toMatchObject({ type: 'server_error', code: 'server_error', message: 'The model is away' });
    const { events, done } = parseResponseFrames(await (await driver.post({ input: 'break', stream: true })).text());
    expect(done).toBe(true);
    expect(events.at(-1)?.type).toBe('response.failed');
    expectCut(events.at(-1)?.response as unknown as Record<string, unknown>, 'failed');
    expect(events.map(({ type }) => type)).not.toContain('error');
  });

  it('a shutdown ends the stream with an error event, and the response continues without its client', async () => {
    const runs = async (): Promise<number> => {
      const [row] = await driver.server.get(Database).read.all<{ n: number }>('SELECT COUNT(*) AS n FROM runs');
      return Number(row?.n);
    };
    const before = await runs();
    const streamed = await driver.post({ input: 'hold', stream: true });
    const id = streamed.headers.get('x-run-id') ?? '';
    const whole = driver.post({ input: 'hold' });
    await until(async () => (await runs()) === before + 2, 'both requests are accepted');
    const text = streamed.text();
    await driver.server.close();
    const { events, done } = parseResponseFrames(await text);
    expect(done).toBe(true);
    const error = {
      type: 'server_error',
      code: 'service_unavailable',
      param: null,
      message: expect.any(String) as string,
    };
    expect(events.at(-1)).toEqual({ ...error, type: 'error', sequence_number: events.length - 1, error });
    const answer = await whole;
    expect([answer.status, answer.headers.get('x-should-retry'), answer.headers.get('retry-after')]).toEqual([
      503,
      'false',
      '5',
    ]);
    expect(await answer.json()).toEqual({ error });
    driver = await ResponsesDriver.start({ database });
    expect(await driver.response(id)).toMatchObject({ id, status: 'in_progress' });
  });
});
