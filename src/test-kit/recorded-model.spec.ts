import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  begin,
  end,
  rawUpstream,
  type RawUpstream,
  refuse,
  type Script,
  send,
} from '../agent/adapters/testing/raw-upstream.js';
import { AgentTool } from '../agent/tools/index.js';
import { say, scriptedModel } from './model-answers.js';
import { recordedModel, type RecordedModelOptions } from './recorded-model.js';
import { startTestServer, type TestServer } from './test-server.js';

const KEY = 'key-of-the-model-server';

class Orders {
  @AgentTool({ name: 'find_order', description: 'Finds.', effects: 'none', parameters: { type: 'object' } })
  async find(): Promise<string> {
    return 'It arrives on Friday.';
  }
}

/** An answer that calls `find_order` with an id that the provider chose. */
function callsTool(id: string): Script {
  return (response) => {
    const call = { index: 0, id, type: 'function', function: { name: 'find_order', arguments: '{"id":"A-1"}' } };
    begin(response, { tool_calls: [call] });
    end(response, 'tool_calls');
  };
}

/** An answer in pieces. */
function says(first: string, ...others: string[]): Script {
  return (response) => {
    begin(response, { content: first });
    for (const content of others) send(response, { choices: [{ index: 0, delta: { content } }] });
    end(response, 'stop', { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 });
  };
}

/** An answer that calls `find_order` twice, with arguments whose pieces alternate. */
function callsInPieces(...pieces: (readonly [string, string])[]): Script {
  return (response) => {
    const started = [0, 1].map((index) => ({ index, id: `call_${index}`, type: 'function' }));
    begin(response, {
      reasoning_content: 'It is hun',
      tool_calls: started.map((call) => ({ ...call, function: { name: 'find_order', arguments: '' } })),
    });
    send(response, { choices: [{ index: 0, delta: { reasoning_content: 'ter2.' } }] });
    for (const texts of pieces) {
      const calls = texts.map((text, index) => ({ index, function: { arguments: text } }));
      send(response, { choices: [{ index: 0, delta: { tool_calls: calls } }] });
    }
    end(response, 'tool_calls');
  };
}

describe('a recorded model', () => {
  let folder: string;
  let file: string;
  let upstream: RawUpstream | undefined;
  let server: TestServer | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-recordings-'));
    file = join(folder, 'recordings/orders.jsonl');
  });
  afterEach(async () => {
    await server?.close();
    await upstream?.close();
    server = upstream = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  /** A server that records the answers of a model server. */
  async function recording(options: RecordedModelOptions, ...scripts: Script[]): Promise<TestServer> {
    await server?.close();
    await upstream?.close();
    upstream = await rawUpstream(...scripts);
    server = await startTestServer({
      providers: [Orders],
      model: recordedModel(file, options),
      settings: { LLM_BASE_URL: upstream.url, LLM_MODEL: 'demo', LLM_API_KEY: KEY, LLM_MAX_RETRIES: 0 },
    });
    return server;
  }

  /** A server without a model server. */
  async function replaying(options: RecordedModelOptions = {}): Promise<TestServer> {
    await server?.close();
    await upstream?.close();
    upstream = undefined;
    server = await startTestServer({ providers: [Orders], model: recordedModel(file, options) });
    return server;
  }

  const lines = (): string[] => readFileSync(file, 'utf8').trim().split('\n');

  it('gives without network the answers that were recorded from a model server, with tool calls and pieces', async () => {
    const live = await recording({ record: 'missing' }, callsTool('call_random'), says('On ', 'Friday.'));
    const first = await live.run('Where is A-1?');
    expect([first.text, first.toolCalls.length, upstream?.seen.length]).toEqual(['On Friday.', 1, 2]);
    expect(lines()).toHaveLength(2);

    const again = await (await replaying()).run('Where is A-1?');
    expect([again.state, again.text, again.toolCalls[0]?.output]).toEqual([
      'completed',
      'On Friday.',
      'It arrives on Friday.',
    ]);
    expect(again.usage).toMatchObject(first.usage ?? {});
  });

  it('fails the test with the nearest recording if none fits', async () => {
    await (await recording({ record: 'missing' }, says('By', 'e.'))).run('Good bye');
    await expect((await replaying()).run('Good night')).rejects.toThrow(
      /No recorded answer in .*orders\.jsonl fits the model call 0\. The nearest, line 1, differs at messages\[1\]\.content\[0\]\.text: recorded "Good bye", now "Good night"\. Set PARLEY_RECORD=missing/,
    );
  });

  it('fails the test if there is no file, and never calls the model server', async () => {
    const idle = await recording({}, says('never', ''));
    await expect(idle.run('Hello')).rejects.toThrow('The file has no recordings. Set PARLEY_RECORD=missing');
    expect(upstream?.seen).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  it('asks for missing answers only, and for all of them if they are recorded anew', async () => {
    await (await recording({ record: 'missing' }, says('one', ''))).run('First');
    const second = await recording({ record: 'missing' }, says('two', ''));
    expect([(await second.run('First')).text, (await second.run('Second')).text]).toEqual(['one', 'two']);
    expect([upstream?.seen.length, lines().length]).toEqual([1, 2]);

    const anew = await recording({ record: 'all' }, says('new', ''), says('newer', ''));
    await anew.run('First');
    await anew.run('First');
    expect(lines()).toHaveLength(2);
    const replay = await replaying();
    const texts = [await replay.run('First'), await replay.run('First'), await replay.run('First')];
    expect(texts.map(({ text }) => text)).toEqual(['new', 'newer', 'newer']);
    await expect(replay.run('Second')).rejects.toThrow('No recorded answer');
  });

  it('stores neither keys nor what the test redacts, and ignores both when it compares', async () => {
    const options = { redact: ['hunter2', /\d{4}-\d{2}-\d{2}/] };
    const live = await recording({ ...options, record: 'missing' }, says('You said hunter2 ', `and ${KEY}`));
    await live.run(`On 2026-01-01 the password was hunter2, the key sk-abcdefgh12345678 or ${KEY}`);
    expect(lines().join('')).not.toMatch(/hunter2|sk-abc|2026-01-01|key-of-the-model-server/);

    const replay = await replaying(options);
    const run = await replay.run('On 2027-02-03 the password was hunter2, the key sk-otherkey87654321 or [redacted]');
    expect(run.text).toBe('You said [redacted] and [redacted]');
  });

  it('stores no secret that the model sends in several pieces', async () => {
    const calls = callsInPieces(['{"id":"hun', '{"id":"sk-abcd'], ['ter2"}', 'efgh12345678"}']);
    const options = { redact: ['hunter2'] };
    const answer = says('No ', 'hun', 'ter2, no sk-abcd', 'efgh12345678.');
    const first = await (await recording({ ...options, record: 'missing' }, calls, answer)).run('Hello');
    expect(first.toolCalls.map(({ arguments: given }) => given)).toEqual([
      { id: 'hunter2' },
      { id: 'sk-abcdefgh12345678' },
    ]);
    expect(lines().join('')).not.toMatch(/hun|ter2|sk-abcd|efgh/);

    const again = await (await replaying(options)).run('Hello');
    expect(again.toolCalls.map(({ arguments: given }) => given)).toEqual([{ id: '[redacted]' }, { id: '[redacted]' }]);
    expect(again.text).toBe('No [redacted], no [redacted].');
  });

  it('stores no secret that JSON in the arguments of a call has in escaped form', async () => {
    const secret = 'zq"x\\vö/k';
    const [id, nested] = [JSON.stringify({ id: secret }), JSON.stringify({ id: JSON.stringify({ secret }) })];
    const calls = callsInPieces([id.slice(0, 10), nested], [id.slice(10), '']);
    const others = callsInPieces([id.replace('ö', '\\u00f6'), id.replace('/', '\\/')]);
    const live = await recording({ redact: [secret], record: 'missing' }, calls, others, says('Done ', secret));
    await live.run(`Hello ${secret}`);
    expect(lines().join('')).not.toMatch(/zq|vö|\/k/);

    const again = await (await replaying({ redact: [secret] })).run(`Hello ${secret}`);
    const given = again.toolCalls.map((call) => call.arguments);
    expect(given.slice(0, 2)).toEqual([{ id: '[redacted]' }, { id: '{"secret":"[redacted]"}' }]);
    expect(given.slice(2)).toEqual([{ id: '[redacted]' }, { id: '[redacted]' }]);
    expect(again.text).toBe('Done [redacted]');
  });

  it('keeps the times between the pieces if it is asked to', async () => {
    const slow: Script = (response) => {
      begin(response, { content: 'a' });
      setTimeout(() => {
        send(response, { choices: [{ index: 0, delta: { content: 'b' } }] });
        end(response);
      }, 150);
    };
    await (await recording({ record: 'missing', times: true }, slow)).run('Slowly');
    const { pieces } = JSON.parse(lines()[0] ?? '') as { pieces: { afterMs: number }[] };
    const recorded = pieces.reduce((sum, { afterMs }) => sum + afterMs, 0);
    expect(recorded).toBeGreaterThanOrEqual(100);

    const replay = await replaying({ times: true });
    const started = performance.now();
    expect((await replay.run('Slowly')).text).toBe('ab');
    expect(performance.now() - started).toBeGreaterThanOrEqual(recorded - 20);
  });

  it('does not record a call that failed', async () => {
    const live = await recording({ record: 'missing' }, refuse(400, 'no'));
    expect((await live.run('Hello')).state).toBe('failed');
    expect(existsSync(file)).toBe(false);
  });

  it('records a model that is given in code', async () => {
    const options = { record: 'missing', source: scriptedModel([say('From code.')]) } as const;
    server = await startTestServer({ providers: [Orders], model: recordedModel(file, options) });
    await server.run('Hello');
    expect((await (await replaying()).run('Hello')).text).toBe('From code.');
  });

  it('reads the mode and the model server from the environment, and needs the latter to record', async () => {
    const before = { ...process.env };
    try {
      process.env['PARLEY_RECORD'] = 'everything';
      expect(() => recordedModel(file)).toThrow('PARLEY_RECORD must be one of none, missing, all');
      process.env['PARLEY_RECORD'] = 'missing';
      await expect(startTestServer({ model: recordedModel(file) })).rejects.toThrow('LLM_BASE_URL');
      upstream = await rawUpstream(says('hel', 'lo'));
      Object.assign(process.env, { LLM_BASE_URL: upstream.url, LLM_MODEL: 'demo' });
      server = await startTestServer({ model: recordedModel(file) });
      expect((await server.run('Hello')).text).toBe('hello');
    } finally {
      process.env = before;
    }
  });

  it('refuses a file with a line that is not a recording', () => {
    const broken = join(folder, 'broken.jsonl');
    writeFileSync(broken, '{"request":{},"pieces":[]}\n{"half":');
    expect(() => recordedModel(broken)).toThrow('broken.jsonl, line 2 is not a recorded answer');
  });
});
