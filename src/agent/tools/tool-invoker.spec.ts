import { Logger } from '@nestjs/common';
import { readSettings } from '../../config/index.js';
import { AppError } from '../../common/index.js';
import { idempotencyKey, type ToolCaller, type ToolJournal } from './tool-call.js';
import { SchemaValidator } from './schema-validator.js';
import { ALLOW_ALL } from './testing/allow-all.js';
import { type ServerTool, type ToolContext, ToolError } from './tool.js';
import { ToolInvoker } from './tool-invoker.js';
import { ToolSet } from './tool-set.js';
import { ToolSettings } from './tools.settings.js';

Logger.overrideLogger(false);

const LIMIT = 256;
const settings = readSettings(ToolSettings, { TOOL_TIMEOUT_MS: '1000', TOOL_OUTPUT_LIMIT_BYTES: String(LIMIT) });
const invoker = new ToolInvoker(new SchemaValidator(), ALLOW_ALL, settings);

function tool(overrides: Partial<ServerTool>): ServerTool {
  return {
    name: 'look',
    description: 'Looks',
    parameters: { type: 'object', properties: { n: { type: 'integer' }, unit: { enum: ['c', 'f'], default: 'c' } } },
    effects: 'none',
    timeoutMs: 1000,
    origin: { kind: 'local' },
    invoke: () => Promise.resolve('seen'),
    ...overrides,
  };
}

class Journal implements ToolJournal {
  readonly begun: string[] = [];
  constructor(private readonly doubt = false) {}
  inDoubt(): boolean {
    return this.doubt;
  }
  begin(key: string): Promise<void> {
    this.begun.push(key);
    return Promise.resolve();
  }
}

function caller(signal = new AbortController().signal): ToolCaller {
  const principal = { tenantId: 't', userId: 'u' };
  return {
    principal,
    authority: null,
    sessionId: 's',
    runId: 'r',
    agentType: 'worker',
    signal,
    clientTime: undefined,
    timeZone: 'UTC',
    locale: null,
    forwardedProps: { a: 1 },
  };
}

function invoke(overrides: Partial<ServerTool>, args = '{}', journal = new Journal(), signal?: AbortSignal) {
  const toolSet = new ToolSet([tool(overrides)], []);
  return invoker.invoke({ callId: 'c0', name: 'look', arguments: args }, toolSet, caller(signal), journal);
}

describe('ToolInvoker', () => {
  it('arguments are completed before validation, unless they cannot be parsed', async () => {
    const completeArguments: ServerTool['completeArguments'] = (args, { timeZone }) => ({ ...args, zone: timeZone });
    const zoned = {
      completeArguments,
      parameters: { type: 'object', properties: { zone: { const: 'UTC' } }, required: ['zone'] },
      invoke: (args: unknown) => Promise.resolve(args),
    };
    expect(await invoke(zoned, '{"n":1}')).toMatchObject({ output: '{"n":1,"zone":"UTC"}', isError: false });
    expect(await invoke(zoned, '{')).toMatchObject({ isError: true, failure: 'invalid_arguments' });
  });

  it('a tool is called with validated arguments, without defaults, and with its context', async () => {
    let seen: [unknown, ToolContext] | undefined;
    const result = await invoke({ invoke: (args, context) => Promise.resolve((seen = [args, context])[0]) }, '{"n":1}');
    expect(result).toEqual({ callId: 'c0', name: 'look', output: '{"n":1}', isError: false });
    expect(seen?.[1]).toMatchObject({
      argumentsText: '{"n":1}',
      callId: 'c0',
      runId: 'r',
      sessionId: 's',
      idempotencyKey: idempotencyKey(caller(), 'c0'),
      forwardedProps: { a: 1 },
    });
  });

  it.each([
    ['{"n"', 'not valid JSON'],
    ['[1]', 'must be a JSON object'],
    ['{"n":1,"n":2}', 'The member "n" is there twice'],
    ['{"n":"x"}', '"n" must be integer'],
    ['{"unit":"k"}', '"unit" must be one of ["c","f"]'],
  ])('the arguments %s are answered with an explanation', async (args, sentence) => {
    let calls = 0;
    const result = await invoke({ invoke: () => Promise.resolve((calls += 1)), effects: 'unsafe' }, args);
    expect(result).toMatchObject({ isError: true, failure: 'invalid_arguments' });
    expect(result.output).toContain(sentence);
    expect(calls).toBe(0);
  });

  it.each(['', ' ', 'null', '""', '"null"'])('the arguments %j are an empty object', async (args) => {
    const seen = (given: object, { argumentsText }: ToolContext): Promise<unknown> =>
      Promise.resolve([given, argumentsText]);
    expect(await invoke({ invoke: seen }, args)).toMatchObject({ output: '[{},"{}"]', isError: false });
  });

  describe('integers beyond 2^53', () => {
    const ID = '2512292042121000001';
    const withId = (id: object): Partial<ServerTool> => ({
      parameters: { type: 'object', properties: { id: { ...id } } },
      invoke: (args) => Promise.resolve([typeof args['id'], args]),
    });

    it.each([
      ['a bigint where the schema takes integers', { type: 'integer', minimum: 1 }, `["bigint",{"id":${ID}}]`],
      ['text where it takes text', { type: ['integer', 'string'] }, `["string",{"id":"${ID}"}]`],
      [
        'found through references and branches',
        { anyOf: [{ type: 'null' }, { type: 'integer' }] },
        `["bigint",{"id":${ID}}]`,
      ],
    ])('a tool gets %s', async (_what, schema, output) => {
      expect(await invoke(withId(schema), `{"id": ${ID}}`)).toMatchObject({ output, isError: false });
    });

    it.each([[{ type: 'number' }], [{}]])('a tool whose schema says %j is not called', async (schema) => {
      const result = await invoke(withId(schema), `{"id": ${ID}}`);
      expect(result).toMatchObject({ failure: 'invalid_arguments', output: expect.stringContaining(`"id" is ${ID}`) });
    });

    it('different ones in a list of unique items are unique', async () => {
      const ids = { type: 'array', items: { type: 'integer' }, uniqueItems: true };
      const parameters = { type: 'object', properties: { ids } };
      const list = '{"ids":[2512292042121000001,2512292042121000002]}';
      const result = await invoke({ parameters, invoke: (args) => Promise.resolve(args) }, list);
      expect(result).toMatchObject({ output: list, isError: false });
    });

    it('what is added to the arguments leaves them exact', async () => {
      const tool = { ...withId({ type: 'integer' }), completeArguments: (args: object) => ({ ...args, zone: 'UTC' }) };
      const seen: unknown[] = [];
      const noting = (_args: unknown, { argumentsText }: ToolContext): Promise<void> =>
        Promise.resolve(void seen.push(argumentsText));
      await invoke({ ...tool, invoke: noting }, `{"id": ${ID}}`);
      expect(seen).toEqual([`{"id":${ID},"zone":"UTC"}`]);
    });
  });

  it('an unknown tool is answered with the names of the tools', async () => {
    const toolSet = new ToolSet([tool({})], []);
    const result = await invoker.invoke(
      { callId: 'c', name: 'lokk', arguments: '{}' },
      toolSet,
      caller(),
      new Journal(),
    );
    expect(result).toMatchObject({ isError: true, failure: 'unknown_tool' });
    expect(result.output).toBe('There is no tool named "lokk". The tools are: look.');
  });

  it.each([
    [new ToolError('No such city.'), 'The tool failed: No such city.'],
    [new AppError('RATE_LIMIT_EXCEEDED', 'Slow down'), 'The tool failed: Slow down'],
    [new Error('password=1234'), 'The tool failed because of an internal error.'],
    ['a string', 'The tool failed because of an internal error.'],
  ])('a tool that throws %s is answered with an error', async (error, sentence) => {
    expect(await invoke({ invoke: () => Promise.reject(error as Error) })).toMatchObject({
      isError: true,
      output: sentence,
    });
  });

  it('a tool that throws synchronously or returns no JSON is answered with an error', async () => {
    const throwing = (): never => {
      throw new ToolError('At once.');
    };
    expect(await invoke({ invoke: throwing })).toMatchObject({ output: 'The tool failed: At once.' });
    const circle: Record<string, unknown> = {};
    circle['itself'] = circle;
    expect(await invoke({ invoke: () => Promise.resolve(circle) })).toMatchObject({ isError: true });
    expect(await invoke({ invoke: () => Promise.resolve(undefined) })).toMatchObject({
      output: 'null',
      isError: false,
    });
  });

  it('a tool over its time limit is aborted and its later result dropped', async () => {
    let fail: (error: Error) => void = () => undefined;
    let reason: unknown;
    const hanging = (_args: unknown, { signal }: ToolContext): Promise<never> => {
      signal.addEventListener('abort', () => {
        reason = signal.reason;
      });
      return new Promise((_resolve, reject) => (fail = reject));
    };
    const result = await invoke({ invoke: hanging, timeoutMs: 10, effects: 'unsafe' });
    fail(new Error('too late'));
    expect(result).toMatchObject({ isError: true, failure: 'timeout' });
    expect(result.output).toBe(
      'The tool failed: it did not answer within 0.01 s. It may have taken effect all the same.',
    );
    expect(reason).toMatchObject({ name: 'DeadlineError' });
  });

  it('the reason of an aborted run is thrown, whatever the tool does', async () => {
    const abort = new AbortController();
    let toolSignal: AbortSignal | undefined;
    const call = invoke(
      { invoke: (_args, { signal }) => new Promise(() => (toolSignal = signal)) },
      '{}',
      new Journal(),
      abort.signal,
    );
    setImmediate(() => abort.abort(new Error('cancelled')));
    await expect(call).rejects.toThrow('cancelled');
    expect(toolSignal?.aborted).toBe(true);
    await expect(invoke({}, '{}', new Journal(), abort.signal)).rejects.toThrow('cancelled');
  });

  it('a long output is truncated between two characters, with a note', async () => {
    const result = await invoke({ invoke: () => Promise.resolve('汉😀'.repeat(10_000)) });
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(LIMIT);
    expect(result.output).not.toContain('\uFFFD');
    expect(result.output).toMatch(/\n\[The output was cut here: it has 70000 bytes and the limit is 256\.\]$/);
    expect(await invoke({ invoke: () => Promise.resolve('x'.repeat(LIMIT)) })).toMatchObject({
      output: 'x'.repeat(LIMIT),
    });
  });

  it.each([
    ['none', false, 0],
    ['none', true, 0],
    ['idempotent', false, 1],
    ['idempotent', true, 0],
    ['unsafe', false, 1],
  ] as const)('a tool with effects %s (in doubt: %s) is called and starts %d steps', async (effects, doubt, begun) => {
    const journal = new Journal(doubt);
    expect(await invoke({ effects }, '{}', journal)).toMatchObject({ isError: false });
    expect(journal.begun).toHaveLength(begun);
  });

  it('an unsafe call in doubt is not repeated', async () => {
    let calls = 0;
    const unsafe = tool({ effects: 'unsafe', invoke: () => Promise.resolve((calls += 1)) });
    const toolSet = new ToolSet([unsafe], []);
    const call = { callId: 'c0', name: 'look', arguments: '{}' };
    await expect(invoker.invoke(call, toolSet, caller(), new Journal(true))).rejects.toMatchObject({
      code: 'TOOL_IN_DOUBT',
    });
    expect(() => invoker.checkInDoubt(call, toolSet, new Journal(true))).toThrow(
      expect.objectContaining({ code: 'TOOL_IN_DOUBT' }) as Error,
    );
    expect(calls).toBe(0);
  });

  it('a call in doubt whose tool was removed is reported as unknown', async () => {
    const call = { callId: 'c0', name: 'gone', arguments: '{}' };
    const result = await invoker.invoke(call, new ToolSet([], []), caller(), new Journal(true));
    expect(result).toMatchObject({ failure: 'in_doubt', output: expect.stringContaining('may have taken effect') });
  });

  it('no call is made if its start cannot be stored', async () => {
    let calls = 0;
    const journal: ToolJournal = { inDoubt: () => false, begin: () => Promise.reject(new Error('fenced out')) };
    const toolSet = new ToolSet([tool({ effects: 'unsafe', invoke: () => Promise.resolve((calls += 1)) })], []);
    await expect(
      invoker.invoke({ callId: 'c', name: 'look', arguments: '{}' }, toolSet, caller(), journal),
    ).rejects.toThrow('fenced out');
    expect(calls).toBe(0);
  });
});
