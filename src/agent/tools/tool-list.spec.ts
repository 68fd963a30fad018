import { listedTools, mayHaveToolsOf, mayList, unmatched } from './tool-list.js';
import { ToolRegistry } from './tool-registry.js';
import type { ServerTool } from './tool.js';

function tool(name: string, origin: ServerTool['origin'] = { kind: 'local' }): ServerTool {
  const parameters = { type: 'object' };
  return { name, description: '', parameters, effects: 'none', timeoutMs: 1, origin, invoke: () => Promise.resolve() };
}
const files = (name: string): ServerTool => tool(`fs_${name}`, { kind: 'mcp', serverLabel: 'files', toolName: name });

const TOOLS = [tool('get_order'), tool('get_time'), files('read_text'), files('write')];
const named = (...lists: string[][]): string[] => listedTools(TOOLS, lists).map(({ name }) => name);

describe('the list of an agent', () => {
  it.each<[string[], string[]]>([
    [[], []],
    [['*'], ['get_order', 'get_time', 'fs_read_text', 'fs_write']],
    [['get_order', 'nothing'], ['get_order']],
    [['get_*'], ['get_order', 'get_time']],
    [['get_tim?'], ['get_time']],
    [['local/*'], ['get_order', 'get_time']],
    [['files/*'], ['fs_read_text', 'fs_write']],
    [['files/read_*'], ['fs_read_text']],
    [['f*/write'], ['fs_write']],
    [['fs_write'], ['fs_write']],
    [['GET_ORDER'], []],
  ])('%j selects %j', (list, expected) => {
    expect(named(list)).toEqual(expected);
  });

  it('a tool must be in each of several lists; no list is no limit', () => {
    expect(named(['get_*'], ['*_order', 'fs_*'])).toEqual(['get_order']);
    expect(named()).toHaveLength(4);
  });

  it.each<[string[], boolean]>([
    [['files/*'], true],
    [['notes/*'], false],
    [['get_order'], false],
    [['later'], true],
    [['get_*'], false],
    [['fs2_*'], true],
  ])('with %j, a server that is away may have tools of it: %s', (list, expected) => {
    const present = TOOLS.filter(({ origin }) => origin.kind === 'local');
    expect(mayHaveToolsOf('files', present, [list])).toBe(expected);
  });

  it('a choice by name is compared with the names', () => {
    const names = (list: string[]): boolean[] => ['get_order', 'fs_write', 'pay'].map((name) => mayList(name, list));
    expect([names(['get_*']), names(['files/write']), names([])]).toEqual([
      [true, false, false],
      [false, true, false],
      [false, false, false],
    ]);
    expect(unmatched(TOOLS, ['get_*', 'gte_order', 'files/*', 'notes/*'])).toEqual(['gte_order', 'notes/*']);
  });

  it.each<[string[], number]>([
    [['get_order'], 0],
    [['local/*'], 0],
    [['notes/*'], 0],
    [[], 0],
    [['get_*'], 1],
    [['files/*'], 1],
    [['get_order', 'later'], 1],
  ])('for %j, MCP servers are asked %i times', async (list, times) => {
    let asked = 0;
    const mcp = {
      name: 'mcp',
      list: () => Promise.resolve((asked += 1)).then(() => [files('write')]),
      servers: () => [{ label: 'files', state: 'idle', required: false } as const],
    };
    const registry = new ToolRegistry([{ name: 'local', list: () => Promise.resolve([tool('get_order')]) }, mcp]);
    await registry.toolSet([], { authority: null, lists: [list] });
    expect(asked).toBe(times);
  });

  it('a server that is away is reported to those that may use it', async () => {
    const away = {
      name: 'mcp',
      list: () => Promise.resolve([]),
      unavailable: () => [{ serverLabel: 'files', error: 'away' }],
    };
    const registry = new ToolRegistry([{ name: 'local', list: () => Promise.resolve([tool('get_order')]) }, away]);
    const unavailable = async (...lists: string[][]): Promise<number> =>
      (await registry.toolSet([], { authority: null, lists })).unavailable.length;
    expect([await unavailable(), await unavailable(['get_order']), await unavailable(['files/*'])]).toEqual([1, 0, 1]);
  });
});
