import { ConsoleLogger, Logger } from '@nestjs/common';
import { SchemaValidator } from '../../../src/agent/tools/index.js';
import { McpSource } from '../../support/mcp-source.js';
import { ScriptedMcp } from '../../support/mcp-servers.js';

class Warnings extends ConsoleLogger {
  readonly sentences: string[] = [];
  override warn(sentence: string): void {
    this.sentences.push(sentence);
  }
  override log(): void {
    // Not of interest.
  }
}

const properties = (schemas: object, more: object = {}): object => ({ type: 'object', properties: schemas, ...more });

function deep(levels: number): object {
  return levels === 0 ? { type: 'string' } : properties({ a: deep(levels - 1) });
}

/** Schemas that servers declare although they are not valid, and what makes each of them invalid. */
const ODD: readonly (readonly [string, unknown])[] = [
  ['a pattern that is valid without the flag u only', properties({ a: { type: 'string', pattern: '^[\\w-.]+\\-$' } })],
  ['a pattern of Python', properties({ a: { type: 'string', pattern: '(?P<y>\\d{4})' } })],
  ['a pattern that is none', properties({ a: { type: 'string', pattern: '(?i)abc(' } })],
  ['exclusiveMinimum as a flag', properties({ a: { type: 'number', minimum: 0, exclusiveMinimum: true } })],
  ['required as a flag', properties({ a: { type: 'string', required: true }, b: { required: false } })],
  ['the type any', properties({ a: { type: 'any' } })],
  ['a type of another language', properties({ a: { type: 'str' }, b: { type: 'List' } })],
  ['a reference to nothing', properties({ a: { $ref: '#/definitions/none' } })],
  ['a reference to itself', properties({ a: { $ref: '#/$defs/b' } }, { $defs: { b: { $ref: '#/$defs/b' } } })],
  ['a reference to another document', properties({ a: { $ref: 'https://example.org/a.json' } })],
  ['equal names', properties({ a: { $id: 'one' }, b: { $id: 'one', $anchor: 'x' }, c: { $anchor: 'x' } })],
  ['an unknown dialect', { $schema: 'https://example.org/mine', type: 'object' }],
  ['an empty list of values', properties({ a: { enum: [] } })],
  ['a list in place of properties', { type: 'object', properties: [] }],
  ['limits as text', properties({ a: { type: 'string', minLength: '1' } })],
  ['descriptions that are no text', properties({ a: { type: 'string', description: null } })],
  ['nullable without a type', properties({ a: { nullable: true } })],
  ['a list as its type', { type: 'array', items: {} }],
  ['an unknown type', { type: 'banana' }],
  ['too many levels', deep(60)],
  ['too many characters', properties({ a: { type: 'string', description: 'x'.repeat(70_000) } })],
  ['no schema', undefined],
  ['text in place of a schema', 'object'],
];

describe('an MCP tool whose schema has', () => {
  const log = new Warnings();
  const validator = new SchemaValidator();
  let server: ScriptedMcp;
  let source: McpSource;

  beforeAll(async () => {
    Logger.overrideLogger(log);
    server = await new ScriptedMcp().start();
    server.tools = ODD.map(([, inputSchema], at) => ({ name: `tool_${at}`, inputSchema }));
    source = new McpSource({ one: { url: server.url } });
    await source.names();
  });
  afterAll(async () => {
    await source.close();
    await server.stop();
    Logger.overrideLogger(false);
  });

  it.each(ODD.map(([what], at) => [what, at] as const))('%s is offered and called', async (_what, at) => {
    const name = `tool_${at}`;
    const { parameters } = await source.tool(name);
    expect(parameters).toMatchObject({ type: 'object' });
    expect(() => validator.violation(parameters, {})).not.toThrow();
    const text = '{"a": 2024, "b": "x"}';
    const args = validator.violation(parameters, JSON.parse(text)) === undefined ? text : '{"a": "2024-", "b": ["x"]}';
    expect(await source.call(name, args)).toMatchObject({ output: 'done' });
  });

  it('one warning is written for each, unless nothing of the schema is lost', () => {
    const warned = ODD.map(([what], at) => [what, log.sentences.filter((one) => one.includes(`"tool_${at}"`)).length]);
    const quiet = [
      'a pattern that is valid without the flag u only',
      'equal names',
      'an unknown dialect',
      'nullable without a type',
    ];
    expect(warned).toEqual(ODD.map(([what]) => [what, quiet.includes(what) ? 0 : 1]));
    expect(log.sentences.find((one) => one.includes('"tool_3"'))).toBe(
      'one: the tool "tool_3" is offered, but of its schema, "exclusiveMinimum": true cannot be used',
    );
  });

  it('what could be converted is enforced', async () => {
    const called = async (what: string, args: string): Promise<boolean> => {
      const result = await source.call(`tool_${ODD.findIndex(([one]) => one === what)}`, args);
      return !result.isError;
    };
    expect(await called('exclusiveMinimum as a flag', '{"a":0}')).toBe(false);
    expect(await called('required as a flag', '{}')).toBe(false);
    expect(await called('a pattern of Python', '{"a":"x"}')).toBe(false);
    expect(await called('a type of another language', '{"a":1}')).toBe(false);
  });
});

describe('optional arguments of an MCP tool', () => {
  it('defaults are neither filled in nor validated', async () => {
    const server = await new ScriptedMcp().start();
    server.tools = [
      {
        name: 'act',
        inputSchema: properties({
          a: { type: 'string', default: null },
          b: { type: 'integer', default: 'ten' },
          c: { default: 3 },
        }),
      },
    ];
    const source = new McpSource({ one: { url: server.url } });
    expect(await source.call('act', '{}')).toMatchObject({ output: 'done', isError: false });
    expect(server.calls.map(({ args }) => args)).toEqual([{}]);
    await source.close();
    await server.stop();
  });
});
