import { readSettings } from '../../config/index.js';
import { InputInterrupt } from '../../agent/index.js';
import { SchemaValidator, ToolSettings } from '../../agent/tools/index.js';
import { type JsonObject, SequentialIds, SystemClock } from '../../common/index.js';
import { AgentInputs } from './agent-inputs.js';

const QUESTION = { reason: 'input_required', message: 'Which one?' };

/** What is asked with this schema, and the warnings about it. */
async function asked(responseSchema: JsonObject, hasForeignSchema: boolean) {
  const inputs = new AgentInputs(
    readSettings(ToolSettings, {}),
    new SystemClock(),
    new SequentialIds(),
    new SchemaValidator(),
  );
  const warnings: string[] = [];
  const ask = inputs.asker([], (warning) => warnings.push(warning));
  const error = await ask({ ...QUESTION, responseSchema, hasForeignSchema }).catch((thrown: unknown) => thrown);
  if (!(error instanceof InputInterrupt)) throw error;
  return { schema: error.asked.item.response_schema, warnings };
}

const patterns = (count: number): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string', pattern: `x${at}` }]),
  ),
});

describe('a question with the schema of another server', () => {
  it.each<[string, JsonObject]>([
    ['an unknown type', { type: 'any' }],
    ['a pattern of another language', { type: 'string', pattern: '(?i)abc' }],
    ['a keyword of draft 4', { type: 'object', properties: { a: { type: 'string', required: true } } }],
    ['a reference to nothing', { $ref: '#/$defs/Missing' }],
    ['a reference to another schema', { $ref: 'https://example.com/schema' }],
    ['an unknown dialect', { $schema: 'https://example.com/dialect', type: 'string' }],
    ['deep nesting', Array.from({ length: 40 }).reduce<JsonObject>((inner) => ({ items: inner }), {})],
    ['too many characters', patterns(3000)],
  ])('%s is asked without it, with a warning', async (_, schema) => {
    expect(await asked(schema, true)).toEqual({
      schema: null,
      warnings: [expect.stringContaining('without its schema')],
    });
  });

  it('one that takes long to compile is cut', async () => {
    const startedAt = performance.now();
    const { schema } = await asked(patterns(1400), true);
    expect(performance.now() - startedAt).toBeLessThan(2500);
    expect(schema).toBeNull();
  });

  it('one that can be used is asked with it', async () => {
    const schema = { type: 'object', properties: { when: { type: 'string', format: 'date' } } };
    expect(await asked(schema, true)).toEqual({ schema, warnings: [] });
  });

  it('a mistake of an agent of this server is an error', async () => {
    await expect(asked({ type: 'any' }, false)).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
  });
});
