import type { ServerTool } from './tool.js';
import { ToolSet } from './tool-set.js';

const parameters = { type: 'object' };
const server = { name: 'get_weather', description: 'of the server', parameters } as unknown as ServerTool;
const client = { name: 'get_weather', description: 'of the client', parameters };

describe('ToolSet', () => {
  it('a tool of the client that a server tool hides is reported', () => {
    const hidden: string[] = [];
    const toolSet = new ToolSet([server], [client], (name) => hidden.push(name));
    expect(hidden).toEqual(['get_weather']);
    expect(toolSet.resolve('get_weather').kind).toBe('server');
    expect(toolSet.declarations).toEqual([{ name: 'get_weather', description: 'of the server', parameters }]);
  });

  it('a tool of the client may replace a server tool if its wire allows it, but no other client tool', () => {
    const hidden: string[] = [];
    const first = { ...client, overrides: true };
    const second = { ...first, description: 'again' };
    const toolSet = new ToolSet([server], [first, second], (name) => hidden.push(name));
    expect(hidden).toEqual(['get_weather']);
    expect(toolSet.resolve('get_weather')).toEqual({ kind: 'client', declaration: first });
    expect(toolSet.serverTools).toEqual([]);
  });

  it('of more than 128 tools, those of this server come first, then those of the client, and the chosen one always', () => {
    const of = (kind: 'local' | 'mcp', count: number): ServerTool[] =>
      Array.from(
        { length: count },
        (_none, at) => ({ ...server, name: `${kind}_${at}`, origin: { kind } }) as ServerTool,
      );
    const clients = Array.from({ length: 60 }, (_none, at) => ({ ...client, name: `client_${at}` }));
    const tools = [...of('mcp', 60), ...of('local', 50)];
    const toolSet = new ToolSet(tools, clients, undefined, { wanted: 'mcp_59' });
    const count = (kind: string): number => toolSet.declarations.filter(({ name }) => name.startsWith(kind)).length;
    expect([count('local'), count('client'), count('mcp')]).toEqual([50, 60, 18]);
    expect(toolSet.declarations.map(({ name }) => name)).toContain('mcp_59');
    expect(toolSet.leftOut).toHaveLength(42);
    expect(toolSet.leftOut[0]).toBe('mcp_17');
    expect(toolSet.resolve('mcp_30').kind).toBe('server');
  });
});
