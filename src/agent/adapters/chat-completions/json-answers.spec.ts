import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import type { ErrorCode } from '../../../common/index.js';
import { collect, failureOf, request } from '../testing/collect.js';

import { clientFor, expectError, waits, upstreamOfEachTest } from '../testing/upstream-client.js';

const BOM = '\uFEFF';
const WHOLE = JSON.stringify({ choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] });
const STREAM = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }] })}\n\n`;

const start = upstreamOfEachTest();

/** Sends these bytes, the first ones each in a packet of its own. */
function send(response: ServerResponse, bytes: Buffer, single: number): void {
  response.socket?.setNoDelay(true);
  if (single === 0) response.end(bytes);
  else response.write(bytes.subarray(0, 1), () => setImmediate(send, response, bytes.subarray(1), single - 1));
}

describe('an answer with a byte order mark', () => {
  it.each([
    ['a JSON answer', `${BOM}${WHOLE}`, 0],
    ['a JSON answer, byte by byte', `${BOM}${WHOLE}`, 5],
    ['a JSON answer after a line break', `${BOM}\n${WHOLE}`, 0],
    ['an event stream', `${BOM}${STREAM}`, 0],
    ['an event stream, byte by byte', `${BOM}${STREAM}`, 5],
  ])('is read: %s', async (_, body, single) => {
    const { url } = await start((response) => send(response.writeHead(200), Buffer.from(body), single));
    const { text, finish } = await collect(clientFor(url), request('hi'));
    expect([text, finish?.reason]).toEqual(['Hello', 'stop']);
  });
});

describe('the text of a choice', () => {
  it.each<[string, object]>([
    ['in a delta, as one part', { delta: { content: { type: 'text', text: 'Hello' } } }],
    ['as the older API writes it', { text: 'Hello' }],
  ])('%s', async (_, choice) => {
    const chunk = JSON.stringify({ choices: [{ index: 0, ...choice, finish_reason: 'stop' }] });
    for (const body of [`data: ${chunk}\n\ndata: [DONE]\n\n`, chunk]) {
      const { url, close } = await start((response) => response.writeHead(200).end(body));
      expect((await collect(clientFor(url), request('hi'))).text).toBe('Hello');
      await close();
    }
  });
});

describe('a list of errors with status 200', () => {
  it.each<[unknown[], ErrorCode, retries: number]>([
    [
      [{ error: { code: 429, message: 'upstream words', status: 'RESOURCE_EXHAUSTED' } }],
      'MODEL_RATE_LIMIT_EXCEEDED',
      2,
    ],
    [[{ error: { code: 404, message: 'upstream words', status: 'NOT_FOUND' } }], 'MODEL_NOT_FOUND', 0],
    [[{ object: 'error', message: 'upstream words', code: 401 }], 'MODEL_UNAUTHORIZED_ACCESS', 0],
  ])('%j is mapped, retried if it may pass, and logged', async (body, code, retries) => {
    const { url } = await start((response) => response.writeHead(200).end(JSON.stringify(body)));
    const error = expectError((await failureOf(clientFor(url), request('hi'))).error, code);
    expect(inspect(error.cause, { depth: 9 })).toContain('upstream words');
    expect(waits).toHaveLength(retries);
  });

  it.each([BOM, 'data: '])('is read after %j', async (prefix) => {
    const errors = JSON.stringify([{ error: { code: 404, message: 'upstream words' } }]);
    const { url } = await start((response) => response.writeHead(200).end(`${prefix}${errors}\n\n`));
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_NOT_FOUND');
  });

  it.each(['[]', '[1]', `[${WHOLE}]`])('a list that is no error fails: %s', async (body) => {
    const { url } = await start((response) => response.writeHead(200).end(body));
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_EXECUTION_FAILED');
  });
});
