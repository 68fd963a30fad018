import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../../common/index.js';
import type { ModelOptions } from '../../agent/index.js';
import { collect, type Collected, request } from '../../agent/adapters/testing/collect.js';
import { OfflineModelClient } from './offline-model-client.js';
import { ALL } from './testing/sample-tools.js';

const client = new OfflineModelClient({ clock: { now: () => Date.parse('2026-03-04T12:00:00Z') } });
const ask = (said: string, options: ModelOptions, tools = ALL): Promise<Collected> =>
  collect(client, request(said, tools, options));

describe('request options of the offline model', () => {
  it.each<[string, JsonObject]>([
    [
      'an object',
      {
        type: 'object',
        properties: { name: { type: 'string' }, size: { type: 'integer', minimum: 3 }, kind: { enum: ['a', 'b'] } },
        required: ['name', 'size', 'kind'],
        additionalProperties: false,
      },
    ],
    ['a list', { type: 'array', items: { $ref: '#/$defs/n' }, minItems: 2, $defs: { n: { type: 'number' } } }],
    ['a string', { type: 'string', minLength: 2 }],
  ])('the answer is an instance of the schema: %s', async (_, schema) => {
    const made = await ask(
      'Make one called Plan, size 7',
      { responseFormat: { type: 'json_schema', name: 'x', schema } },
      [],
    );
    const validate = new Ajv2020({ strict: false }).compile(schema);
    expect(validate(JSON.parse(made.text)) || validate.errors).toBe(true);
  });

  it('the answer is a JSON object', async () => {
    const { text } = await ask('hello', { responseFormat: { type: 'json_object' } });
    expect(JSON.parse(text)).toEqual({ answer: expect.any(String) as unknown });
  });

  it('no tool is called if none is allowed', async () => {
    const made = await ask('What is the weather in Paris?', { toolChoice: 'none' });
    expect(made.calls).toEqual([]);
    expect(made.finish?.reason).toBe('stop');
  });

  it('a tool is called if one is required or named', async () => {
    expect((await ask('hello', { toolChoice: 'required' })).calls).toHaveLength(1);
    const named = await ask('What is the weather in Paris?', { toolChoice: { name: 'echo' } });
    expect(named.calls.map(({ name }) => name)).toEqual(['echo']);
  });

  it('one tool is called at a time if parallel calls are not allowed', async () => {
    const said = 'What is the weather in Paris and Tokyo?';
    expect((await ask(said, {})).calls).toHaveLength(2);
    expect((await ask(said, { parallelToolCalls: false })).calls).toHaveLength(1);
  });
});
