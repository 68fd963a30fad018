import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import { ModelClient, type ModelEvent, type ModelRequest } from '../../src/agent/index.js';
import { finish, text } from '../../src/agent/testing/scripted-model-client.js';
import { AppError } from '../../src/common/index.js';
import { Runs } from '../../src/run/index.js';
import { codeOf, OverlaidFolder } from '../support/page-code.js';
import { type RawAnswer, rawRequest } from '../support/raw-http.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { RUNS_USER, type Wire, WIRES } from '../support/wires.js';

const code = codeOf('docs/add-a-wire.md', 'toy');

/** Says a half sentence, and the rest when it may. */
class GatedModel extends ModelClient {
  readonly provider = 'gated';
  /** Aborted model calls. */
  aborted = 0;
  private gate = Promise.resolve();
  open: () => void = () => undefined;

  close(): void {
    this.gate = new Promise((resolve) => (this.open = resolve));
  }

  async *stream(_: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent[], void, void> {
    yield [text('It is ')];
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('aborted'))),
    );
    await Promise.race([this.gate, aborted]).catch((error: unknown) => {
      this.aborted += 1;
      throw error;
    });
    yield [text('fine.'), finish()];
  }
}

describe('a wire made by the page docs/add-a-wire.md', () => {
  const model = new GatedModel();
  const folder = new OverlaidFolder('src/protocol/toy', code);
  let module: Type;
  let server: TestServer;
  let turn = 0;

  const start = (env = {}): Promise<TestServer> => startServer({ imports: [module], model, env });

  beforeAll(async () => {
    ({ ToyModule: module } = (await import(join(folder.path, 'toy.module'))) as { ToyModule: Type });
    server = await start();
  });
  beforeEach(() => model.close());
  afterAll(async () => {
    model.open();
    await server.close();
    folder.remove();
  });

  const bytesOf = (answer: RawAnswer): string => answer.chunks.join('').replaceAll(/^: .*\n\n/gm, '');
  const post = (path: string, body: object, headers?: readonly string[], at = server): RawAnswer =>
    rawRequest(at.port, 'POST', path, JSON.stringify(body), headers);
  const toy = (body: object, at = server): RawAnswer => post('/toy', body, [], at);
  const runIdOf = (answer: RawAnswer): string => /^x-run-id: (\S+)/im.exec(answer.head)?.[1] ?? '';
  const pieces = (answer: string): string =>
    [...answer.matchAll(/^data: (.*)$/gm)]
      .map(([, json = '']) => (JSON.parse(json) as { text?: string }).text ?? '')
      .join('');

  async function begun(answer: RawAnswer): Promise<RawAnswer> {
    await until(() => bytesOf(answer).includes('It is '), 'the middle');
    return answer;
  }

  async function ended(answer: RawAnswer): Promise<string> {
    await until(() => answer.ended, 'the end');
    return bytesOf(answer);
  }

  const FRAMES = ['{"text":"It is "}', '{"text":"fine."}', '{"end":"completed"}'].map((json) => `data: ${json}\n\n`);

  it('the wire is three files of about ninety lines in all', () => {
    expect([...code.keys()].sort()).toEqual(['toy-request.decoder.ts', 'toy.encoder.ts', 'toy.module.ts']);
    const lines = [...code.values()].flatMap((file) => file.split('\n')).filter((line) => line.trim() !== '');
    expect(lines.length).toBeLessThanOrEqual(105);
  });

  it('the files compile', () => {
    expect(folder.diagnostics()).toEqual([]);
  });

  it('a run is answered with the frames of the wire', async () => {
    const answer = toy({ text: 'Hello', session: 's', user: 'alice' });
    await begun(answer);
    model.open();
    expect(await ended(answer)).toBe(FRAMES.join(''));
  });

  it('runs of every other wire are shown, and its runs are shown on every other wire', async () => {
    const watched = async (runId: string, wire: string): Promise<RawAnswer> =>
      begun(rawRequest(server.port, 'GET', `/runs/${runId}/events?protocol=${wire}`));
    for (const starter of WIRES) {
      model.close();
      const started = await begun(await say(starter));
      const copy = await watched(await runIdOn(starter, started), 'toy');
      model.open();
      expect([starter.name, await ended(copy)]).toEqual([starter.name, FRAMES.join('')]);
      expect(starter.shown(await ended(started)).text).toBe('It is fine.');
    }
    model.close();
    const started = await begun(toy({ text: 'Hello' }));
    const watchers: [Wire, RawAnswer][] = [];
    for (const wire of WIRES) watchers.push([wire, await watched(runIdOf(started), wire.name)]);
    model.open();
    const own = pieces(await ended(started));
    for (const [wire, copy] of watchers) {
      expect([wire.name, wire.shown(await ended(copy)).text]).toEqual([wire.name, own]);
    }
  });

  async function say(wire: Wire): Promise<RawAnswer> {
    const user = wire.name === 'runs' ? RUNS_USER : undefined;
    const sessionId = randomUUID();
    const headers = { 'content-type': 'application/json', ...(user !== undefined && { 'x-user-id': user }) };
    const body = JSON.stringify({ conversationId: sessionId });
    await fetch(`${server.url}/v1/aibot/bots/worker/conversation`, { method: 'POST', headers, body });
    const saying = { sessionId, words: 'Hello', user, turn: (turn += 1) };
    const request = wire.say(saying);
    const answer = post(request.path, request.body, request.headers);
    views.set(answer, wire.view?.(saying) ?? '');
    return answer;
  }

  /** Where the runs of streams whose head has no run id can be read. */
  const views = new Map<RawAnswer, string>();

  async function runIdOn(wire: Wire, started: RawAnswer): Promise<string> {
    if (!wire.view) return runIdOf(started);
    const view = await fetch(server.url + (views.get(started) ?? ''));
    return ((await view.json()) as { taskId: string }).taskId;
  }

  it('a run is cancelled when its client disconnects', async () => {
    const answer = await begun(toy({ text: 'Hello' }));
    const { aborted } = model;
    answer.socket.destroy();
    await until(() => model.aborted > aborted, 'the cancel');
    const stream = await fetch(`${server.url}/toy/${runIdOf(answer)}`);
    expect(await stream.text()).toBe(`${FRAMES[0]}data: {"end":"canceled"}\n\n`);
  });

  it('a client resumes after its last frame, live and at the end', async () => {
    const answer = await begun(toy({ text: 'Hello' }));
    const path = `/toy/${runIdOf(answer)}`;
    const early = await fetch(`${server.url}${path}?after=2`);
    expect([early.status, await early.json()]).toEqual([
      409,
      { error: 'CURSOR_AHEAD', message: 'The run has 1 frames so far' },
    ]);
    const resumed = rawRequest(server.port, 'GET', `${path}?after=1`);
    await until(() => resumed.head !== '', 'the head');
    model.open();
    expect(await ended(resumed)).toBe(FRAMES.slice(1).join(''));
    for (const after of [0, 1, 2, 3]) {
      const rest = await fetch(`${server.url}${path}?after=${after}`);
      expect([rest.status, await rest.text()]).toEqual([200, FRAMES.slice(after).join('')]);
    }
  });

  it.each([
    ['POST', '/toy', '{', 400, 'INVALID_JSON'],
    ['POST', '/toy', '[]', 400, 'PARAMETER_VALIDATION'],
    ['POST', '/toy', '{"session":"s"}', 400, 'MISSING_PARAMETER'],
    ['POST', '/toy', '{"text":5}', 400, 'PARAMETER_VALIDATION'],
    ['GET', '/toy/none', undefined, 404, 'RUN_NOT_FOUND'],
    ['GET', '/toy/none?after=x', undefined, 400, 'PARAMETER_VALIDATION'],
    ['PUT', '/toy', undefined, 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/toy/none/deeper', undefined, 404, 'RESOURCE_NOT_FOUND'],
  ])('%s %s with %s gets %d %s in the error body of the wire', async (method, path, body, status, error) => {
    const answer = await fetch(server.url + path, {
      method,
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
    });
    expect([answer.status, await answer.json()]).toEqual([status, { error, message: expect.stringMatching(/./) }]);
  });

  it('a log that cannot be read is reported in the stream', async () => {
    const runs = server.get(Runs);
    const tail = runs.tail.bind(runs);
    const broken = jest.spyOn(runs, 'tail').mockImplementation(async function* (...given) {
      for await (const events of tail(...given)) {
        yield events;
        if (events.some(({ json }) => json.includes('It is '))) throw new AppError('DATABASE_ERROR');
      }
    });
    const answer = await ended(toy({ text: 'Hello' }));
    broken.mockRestore();
    expect(answer).toBe(`${FRAMES[0]}data: {"error":"DATABASE_ERROR"}\n\n`);
  });

  it('a shutdown ends the stream with the terminal frame of the wire', async () => {
    const stopping = await start({ SHUTDOWN_GRACE_MS: '0' });
    const answer = await begun(toy({ text: 'Hello' }, stopping));
    await stopping.close();
    expect(await ended(answer)).toBe(`${FRAMES[0]}data: {"error":"SHUTTING_DOWN"}\n\n`);
  });
});
