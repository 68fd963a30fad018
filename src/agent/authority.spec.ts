import { dataOf } from '../events/index.js';
import { call, finish, ScriptedModelClient, type ScriptStep, text } from './testing/scripted-model-client.js';
import { loopAgent, serverTool, TestRun } from './testing/test-run.js';

describe('the authority of a run', () => {
  it('tools outside the authority of the run are not offered, and calls of them are unknown and audited', async () => {
    const authority = {
      actor: { kind: 'key', id: 'k1' },
      agents: [],
      tools: ['look*'],
      models: [],
      roles: [],
    } as const;
    const tools = [serverTool('look'), serverTool('pay')];
    const script: ScriptStep[][] = [
      [call(0, 'pay', '{}', 'c1'), call(1, 'look', '{}', 'c2'), finish('tool-calls')],
      [text('Done.'), finish()],
    ];
    const client = new ScriptedModelClient(script);
    const run = new TestRun({ authority });
    await run.drive(loopAgent(client, tools));
    expect(client.requests.map(({ tools: offered }) => offered.map(({ name }) => name))).toEqual([['look'], ['look']]);
    const outputs = run.messages.filter(({ type }) => type === 'plugin_call_output').map((message) => dataOf(message));
    expect(outputs).toContainEqual({
      call_id: 'c1',
      name: 'pay',
      output: 'There is no tool named "pay". The tools are: look.',
    });
    expect(outputs).toContainEqual({ call_id: 'c2', name: 'look', output: 'look done' });
    expect(run.notes).toMatchObject([{ action: 'policy.denied', callId: 'c1', toolName: 'pay' }]);
    run.expectLegalStream();
  });
});
