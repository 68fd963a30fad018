import type { Message } from '../../events/index.js';
import type { SettledInterrupt } from '../interrupt/index.js';
import { toolIdentity } from '../tools/index.js';
import { parsePolicy } from '../tools/policy/policy-parser.js';
import { ToolPolicy } from '../tools/policy/tool-policy.js';
import type { AgentContext } from '../agent.js';
import { finish, ScriptedModelClient, text } from '../testing/scripted-model-client.js';
import { dataMessage, loopAgent, loopSettings, serverTool, TestRun, userMessage } from '../testing/test-run.js';
import { owedClientCalls } from './decided-calls.js';

const call = (id: string): Message => dataMessage('function_call', { call_id: id, name: 'browse', arguments: '{}' });
const cut = (id: string): Message => ({ ...call(id), status: 'incomplete', code: 'max_output_tokens' });
const outputOf = (id: string): Message => dataMessage('function_call_output', { call_id: id, output: 'Done' }, 'tool');

/** The calls that a run owes which an approval has started. */
function owed(...history: readonly Message[]): readonly string[] {
  const resumption = { approvals: [{}] } as unknown as AgentContext['resumption'];
  return owedClientCalls({
    history: [userMessage('Go'), ...history],
    input: [],
    resumption,
  } as unknown as AgentContext);
}

describe('client calls without a result after an approval', () => {
  it('are still owed', () => {
    expect(owed(call('c0'), call('c1'), outputOf('c0'))).toEqual(['c1']);
  });

  it('are not owed if a limit has cut them', () => {
    expect(owed(call('c0'), cut('c1'), outputOf('c0'))).toEqual([]);
  });
});

/** Where the process that takes an answer has not the tool, whoever makes the call decides about its new arguments. */
describe('an approved call with edited arguments', () => {
  const rules = [
    { tool: 'pay', effect: 'ask', when: { path: '$.amount', op: '>', value: 100 }, approvers: { roles: 'finance' } },
    { tool: 'pay', effect: 'ask', allowEdit: true },
  ];
  const policy = new ToolPolicy(parsePolicy(JSON.stringify({ rules })).rules, 1000);
  const paid: unknown[] = [];
  const pay = serverTool('pay', { invoke: (args) => Promise.resolve(paid.push(args)) });

  async function resumed(amount: number, binding: SettledInterrupt['binding']): Promise<unknown> {
    paid.length = 0;
    const args = { amount };
    const approval = {
      ...{ id: 'apr_1', kind: 'approval', status: 'approved', callId: 'c1', toolName: 'pay', serverLabel: 'local' },
      ...{ userId: 'user-1', approvers: null, decidedBy: null, decision: { approve: true, arguments: args } },
      argumentsText: JSON.stringify(args),
      binding,
    } as unknown as SettledInterrupt;
    const run = new TestRun({ resumption: { approvals: [approval], inputs: [], waiting: [] } });
    const client = new ScriptedModelClient([[text('Paid.'), finish()]]);
    return run.drive(loopAgent(client, [pay], loopSettings(), policy));
  }

  const binding = { rule: policy.ruleKey(1), tool: toolIdentity(pay) };

  it.each([
    ['the rule that asked', binding],
    ['no rule, from an earlier version', null],
  ])('is made under %s', async (_, bound) => {
    expect(await resumed(60, bound)).toMatchObject({ kind: 'completed' });
    expect(paid).toEqual([{ amount: 60 }]);
  });

  it.each([
    ['the rule that asked', binding],
    ['no rule, from an earlier version', null],
  ])('is asked about again under another rule than %s', async (_, bound) => {
    expect(await resumed(5000, bound)).toMatchObject({
      kind: 'interrupted',
      reason: 'approval',
      asked: [
        {
          item: { call_id: 'c1', arguments: '{"amount":5000}' },
          approvers: { roles: ['finance'] },
          binding: { rule: policy.ruleKey(0) },
        },
      ],
    });
    expect(paid).toEqual([]);
  });
});
