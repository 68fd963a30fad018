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
});
