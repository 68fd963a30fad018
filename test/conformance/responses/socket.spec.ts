import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Runs } from '../../../src/run/index.js';
import { CALLER } from '../../support/caller.js';
import { describeOnDatabases, type TestDatabase } from '../../support/databases.js';
import { BenchSocket, ResponsesDriver } from '../../support/responses-driver.js';

const APP = 'https://app.example';

describeOnDatabases('the Responses WebSocket', (open) => {
  let database: TestDatabase;
  let driver: ResponsesDriver;

  beforeAll(async () => {
    database = await open();
    driver = await ResponsesDriver.start({ database, env: { CORS_ORIGINS: APP, JSON_DEPTH_LIMIT: '32' } });
  });
  afterAll(async () => {
    await driver.server.close();
    await database.drop();
  });

  const cancel = (id: string): Promise<unknown> => driver.server.get(Runs).cancel(CALLER.reach, id);

  it.each([
    ['a client without an origin', undefined, true],
    ['a page of an allowed origin', APP, true],
    ['a page of its own origin', 'own', true],
    ['a page of another origin', 'https://evil.example', false],
    ['an opaque origin', 'null', false],
  ])('a connection from %s is accepted or refused by its origin', async (_who, origin, isAllowed) => {
    const connected = await driver.connect(
      origin === undefined ? {} : { origin: origin === 'own' ? driver.server.url : origin },
    );
    expect(connected instanceof BenchSocket).toBe(isAllowed);
    if (connected instanceof BenchSocket) connected.raw.close();
    else expect(connected).toBe(403);
  });

  it('one response is made at a time, and further messages are answered in their order', async () => {
    const socket = await driver.socket();
    socket.create({ input: 'hold' });
    await socket.until('response.output_text.delta');
    socket.raw.send('{"type":"response.stop"}');
    socket.raw.send(Buffer.from('{}'), { binary: true });
    socket.create({ input: 'Hello again.' });
    await cancel(socket.ids[0] ?? '');
    await socket.until('response.completed');
    const cut = socket.types.indexOf('response.incomplete');
    const errors = socket.events.slice(cut + 1, cut + 3);
    expect(errors).toMatchObject([
      { type: 'error', status: 400, error: { code: 'invalid_value', param: 'type' } },
      { type: 'error', status: 400, error: { code: 'invalid_json' } },
    ]);
    expect(socket.types[cut + 3]).toBe('response.created');
    expect(socket.types.filter((type) => type === 'error')).toHaveLength(2);
    socket.raw.close();
  });

  it('input for a response in progress is returned at once, as failed', async () => {
    const socket = await driver.socket();
    socket.create({ input: 'hold', stream_id: 'lane' });
    await socket.until('response.output_text.delta');
    const [id = ''] = socket.ids;
    const input = [{ role: 'user', content: 'Be brief.' }];
    socket.create({ input: 'A text with response.steer in it.' });
    socket.raw.send(JSON.stringify({ type: 'response.steer', previous_response_id: id, input }));
    expect(await socket.until('response.steer.failed')).toEqual({
      type: 'response.steer.failed',
      sequence_number: 0,
      error: {
        type: 'invalid_request_error',
        code: 'steering_not_supported',
        message: 'This server does not take input into a response in progress: send it in a response.create',
      },
      steer: { input, previous_response_id: id },
      stream_id: 'lane',
    });
    expect(socket.types).not.toContain('response.incomplete');
    await cancel(id);
    await socket.until('response.completed');
    socket.raw.send('{"type":"response.steer","previous_response_id":"resp_none","input":"x"}');
    expect(await socket.until('response.steer.failed', 2)).not.toHaveProperty('stream_id');
    expect(socket.types).not.toContain('error');
    socket.raw.close();
  });

  it('messages over the limit of waiting ones are refused after the waiting ones', async () => {
    const socket = await driver.socket();
    socket.create({ input: 'hold' });
    await socket.until('response.output_text.delta');
    for (let message = 0; message < 18; message += 1) socket.raw.send('[]');
    // The server has read them all once it has answered this.
    socket.raw.ping();
    await once(socket.raw, 'pong');
    await cancel(socket.ids[0] ?? '');
    await socket.until('error', 18);
    const errors = socket.events.filter(({ type }) => type === 'error');
    expect(errors.map(({ status }) => status)).toEqual([...Array.from({ length: 16 }, () => 400), 429, 429]);
    socket.raw.close();
  });

  it.each([
    ['invalid JSON', '{"type":', 'invalid_json'],
    ['not an object', '"response.create"', 'invalid_type'],
    ['a missing type', '{"input":"Hello."}', 'invalid_value'],
    ['a wrong field', '{"type":"response.create","input":7}', 'invalid_type'],
    ['too deep', `{"type":"response.create","x":${'['.repeat(40)}${']'.repeat(40)}}`, 'invalid_value'],
    ['a forbidden key', '{"type":"response.create","input":"Hello.","__proto__":{}}', 'invalid_value'],
  ])('an invalid message is refused and the connection stays usable: %s', async (_what, message, code) => {
    const socket = await driver.socket();
    socket.raw.send(message);
    const error = await socket.until('error');
    expect(error).toMatchObject({ status: 400, error: { type: 'invalid_request_error', code } });
    socket.create({ input: 'Hello.' });
    expect((await socket.until('response.completed')).response?.status).toBe('completed');
    socket.raw.close();
  });

  it('a reader that pauses gets every event', async () => {
    const words = Array.from({ length: 3000 }, (_, index) => `word${index}`).join(' ');
    const socket = await driver.socket();
    const wire = (socket.raw as unknown as { readonly _socket: Socket })._socket;
    socket.create({ input: words });
    await socket.until('response.created');
    wire.pause();
    await driver.ended(socket.ids[0] ?? '');
    wire.resume();
    const end = await socket.until('response.completed');
    expect(socket.events.map(({ sequence_number: number }) => number)).toEqual(socket.events.map((_, at) => at));
    expect(end.response?.output).toMatchObject([{ content: [{ text: words }] }]);
    socket.raw.close();
  });

  it.each([true, false])('a response is cancelled when its client disconnects (stored: %s)', async (store) => {
    const socket = await driver.socket();
    socket.create({ input: 'hold', store });
    await socket.until('response.output_text.delta');
    const id = socket.ids[0] ?? '';
    const ended = driver.ended(id);
    socket.raw.terminate();
    expect((await ended)?.status).toBe('canceled');
    const kept = await driver.response(id);
    if (store) expect(kept).toMatchObject({ id, status: 'cancelled' });
    else expect(kept).toMatchObject({ error: { code: 'response_not_found' } });
  });

  it('a shutdown closes the connection with an error, and its response continues', async () => {
    const [socket, deaf] = [await driver.socket(), await driver.socket()];
    socket.create({ input: 'hold' });
    await socket.until('response.output_text.delta');
    // A client that answers nothing must not keep the server.
    (deaf.raw as unknown as { readonly _socket: Socket })._socket.pause();
    const closed = socket.closed();
    await driver.server.close();
    expect(await closed).toMatchObject({ code: 1001 });
    const error = { type: 'server_error', code: 'service_unavailable' };
    expect(socket.events.at(-1)).toMatchObject({ type: 'error', status: 503, error });
    deaf.raw.terminate();
    driver = await ResponsesDriver.start({ database, env: { CORS_ORIGINS: APP } });
    expect(await driver.response(socket.ids[0] ?? '')).toMatchObject({ status: 'in_progress' });
  });
});

describe('the limits of a Responses WebSocket', () => {
  it('a message over the body limit closes the connection with 1009', async () => {
    const small = await ResponsesDriver.start({ env: { BODY_LIMIT_BYTES: '100000' } });
    const socket = await small.socket();
    socket.raw.send('x'.repeat(200_000));
    expect(await socket.closed()).toMatchObject({ code: 1009 });
    await small.server.close();
  });

  it('a connection that reaches its maximum age is closed with an error', async () => {
    const brief = await ResponsesDriver.start({ env: { RESPONSES_SOCKET_LIFETIME_MS: '1000' } });
    const socket = await brief.socket();
    const closed = socket.closed();
    const error = { code: 'websocket_connection_limit_reached', type: 'invalid_request_error' };
    expect(await socket.until('error')).toMatchObject({ type: 'error', status: 400, error });
    expect(await closed).toEqual({ code: 1000, reason: 'age limit' });
    await brief.server.close();
  });
});
