import { Wires } from '../../src/protocol/wire/index.js';
import { expectEveryCursor } from '../support/every-cursor.js';
import {
  GOLDEN_CLIENT_OUTPUT,
  GOLDEN_CLIENT_TOOL,
  GOLDEN_QUESTION,
  GOLDEN_SCENARIOS,
  type GoldenRequest,
  goldenStreams,
  type GoldenWire,
  play,
} from '../support/golden.js';

const session = { session_id: 's1', user_id: 'u1' };
const tools = [{ type: 'function', function: GOLDEN_CLIENT_TOOL }];

function ask(fields: object = {}): GoldenRequest {
  const input = [{ role: 'user', content: [{ type: 'text', text: GOLDEN_QUESTION }] }];
  return { path: '/process', body: { ...session, input, ...fields } };
}

function toolResult(): GoldenRequest {
  const data = { call_id: 'call_map', output: GOLDEN_CLIENT_OUTPUT };
  const input = [{ type: 'function_call_output', role: 'tool', content: [{ type: 'data', data }] }];
  return { path: '/process', body: { ...session, input, tools } };
}

function approval([first]: readonly string[]): GoldenRequest {
  const id = /"type":"mcp_approval_request".*?"data":\{"id":"([^"]+)"/.exec(first ?? '')?.[1];
  const data = { approval_request_id: id, approve: true };
  const input = [{ type: 'mcp_approval_response', role: 'user', content: [{ type: 'data', data }] }];
  return { path: '/process', body: { ...session, input } };
}

const WIRE: GoldenWire = {
  name: 'agent-api',
  ask: (scenario) => ask(scenario === 'client-tool' ? { tools } : {}),
  then: { 'client-tool': [toolResult], approval: [approval] },
};

goldenStreams(WIRE);

describe('the frames of any wire', () => {
  it.each(GOLDEN_SCENARIOS)('are counted as a client counts them in the scenario %s', async (scenario) => {
    await play(WIRE, scenario, {
      check: async (server, runIds) => {
        expect(runIds).toHaveLength(WIRE.then?.[scenario] ? 2 : 1);
        const wires = server.get(Wires).watched.map(({ name }) => name);
        expect(wires).toEqual(expect.arrayContaining(['ag-kit-ag-ui', 'ag-kit-bot', 'responses', 'runs']));
        for (const runId of runIds) for (const wire of wires) await expectEveryCursor(server, runId, wire);
      },
    });
  });
});
