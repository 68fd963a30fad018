import { parsePolicy } from '../tools/policy/policy-parser.js';
import { ToolPolicy } from '../tools/policy/tool-policy.js';
import { call, finish, ScriptedModelClient } from '../testing/scripted-model-client.js';
import { loopAgent, serverTool, loopSettings, TestRun } from '../testing/test-run.js';

describe('the calls of a model answer', () => {
  it('a call tells whether it may need an approval, and once it is complete whether it does', async () => {
    const rules = [
      { tool: 'pay', effect: 'ask', when: { path: '$.sum', op: '>', value: 10 } },
      { tool: '*', effect: 'allow' },
    ];
    const policy = new ToolPolicy(parsePolicy(JSON.stringify({ rules })).rules, 1000);
    const calls = ['look {}', 'pay {"sum":1}', 'pay {"sum":11}'].map((one, index) => {
      const [name = '', text = ''] = one.split(' ');
      return call(index, name, text, `c${index}`);
    });
    const client = new ScriptedModelClient([[...calls, finish('tool-calls')]]);
    const run = new TestRun();
    await run.drive(loopAgent(client, [serverTool('look'), serverTool('pay')], loopSettings(), policy));
    const marks = (status: string): unknown[] =>
      run.events.flatMap((event) =>
        event.object === 'message' && event.type === 'plugin_call' && event.status === status ? [event.metadata] : [],
      );
    const possible = { permission: 'possible' };
    expect(marks('created')).toEqual([null, possible, possible]);
    expect(marks('in_progress')).toEqual([null, possible, possible]);
    expect(marks('completed')).toEqual([null, null, { permission: 'needed' }]);
    run.expectLegalStream();
  });
});
