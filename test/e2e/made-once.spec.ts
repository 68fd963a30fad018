/** @alone It counts what modules make when they are used for the first time. */
import { randomUUID } from 'node:crypto';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ModelClient, type ModelEvent, type ModelRequest } from '../../src/agent/index.js';
import { call, finish, text } from '../../src/agent/testing/scripted-model-client.js';
import { ServerLog } from '../../src/telemetry/index.js';
import { startServer, type TestServer } from '../support/server.js';
import { RUNS_USER, type Wire, type WireRequest, WIRES } from '../support/wires.js';

/** Calls a tool of the server, then answers. */
class CallingModel extends ModelClient {
  readonly provider = 'calling';

  async *stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent[], void, void> {
    await Promise.resolve();
    if (messages.at(-1)?.role === 'tool') yield [text('Fine.'), finish()];
    else yield [call(0, 'get_weather', '{"city":"Paris"}', undefined), finish('tool-calls')];
  }
}

/** The Runs API takes a UUID only. */
const SESSION = randomUUID();
const CLIENT_TIME = {
  device_timezone: 'Europe/Paris',
  client_now_iso: '2026-11-25T09:00:00+01:00',
  client_epoch_ms: Date.UTC(2026, 10, 25, 8),
};

/** The body with a time zone, where the wire takes one. */
const zoned = ({ path, body }: WireRequest): WireRequest['body'] =>
  path.startsWith('/api/v1')
    ? { ...body, forwardedProps: { ...(body['forwardedProps'] as object), client_time: CLIENT_TIME } }
    : body;

describe('formatters, compiled schemas and loggers', () => {
  let server: TestServer;
  let formatters: jest.SpyInstance;
  let schemas: jest.SpyInstance[];
  let loggers: jest.SpyInstance;
  let turn = 0;

  beforeAll(async () => {
    formatters = jest.spyOn(Intl, 'DateTimeFormat');
    schemas = [jest.spyOn(Ajv.prototype, 'compile'), jest.spyOn(Ajv2020.prototype, 'compile')];
    loggers = jest.spyOn(ServerLog.prototype, 'child');
    server = await startServer({ model: new CallingModel() });
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await server.close();
  });

  const made = (): Record<'formatters' | 'schemas' | 'loggers', number> => ({
    formatters: formatters.mock.calls.length,
    schemas: schemas.reduce((sum, { mock }) => sum + mock.calls.length, 0),
    loggers: loggers.mock.calls.length,
  });

  async function run(wire: Wire): Promise<void> {
    turn += 1;
    const request = wire.say({ sessionId: SESSION, words: 'Look', turn, user: RUNS_USER });
    const headers = Object.fromEntries((request.headers ?? []).map((line) => line.split(': ') as [string, string]));
    const answer = await fetch(server.url + request.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
      body: JSON.stringify(zoned(request)),
    });
    const { text: said, calls } = wire.shown(await answer.text());
    expect([answer.status, said, calls.length]).toEqual([200, 'Fine.', 1]);
  }

  it('are made when the server starts or by the first run that needs them', async () => {
    const beforeRuns = made();
    for (const wire of WIRES) await run(wire);
    expect(beforeRuns.schemas).toBeGreaterThan(0);
    const { formatters, ...others } = made();
    expect(formatters).toBeGreaterThan(0);
    expect(others).toEqual({ schemas: beforeRuns.schemas, loggers: beforeRuns.loggers });
  });

  it.each(WIRES)('$name: a further run makes none', async (wire) => {
    const before = made();
    await run(wire);
    expect(made()).toEqual(before);
  });
});
