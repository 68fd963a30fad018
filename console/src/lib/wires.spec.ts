import { WIRES } from '../talk/wires/choices.js';
import { inOrder, RUN_WIRES, wireTitle } from './wires.js';

describe('the wires', () => {
  it('those of Talk are the ones that runs of people come over, in the same order', () => {
    // The older A2A, and MCP, are spoken by agents and assistants.
    expect(WIRES.map(({ name }) => name)).toEqual(RUN_WIRES.filter((name) => name !== 'a2a-0.3' && name !== 'mcp'));
  });

  it('are in the order of the console, and unknown ones last, under their names', () => {
    const names = inOrder(['new-wire', 'runs', 'agent-api', 'ag-kit-bot']);
    expect(names).toEqual(['agent-api', 'ag-kit-bot', 'runs', 'new-wire']);
    expect(names.map(wireTitle)).toEqual(['Agent API', 'AG-Kit, bots', 'Runs API', 'new-wire']);
  });
});
