import type { Authority } from '../../../common/index.js';
import { serverTool } from '../../testing/test-run.js';
import { parsePolicy } from './policy-parser.js';
import { ToolPolicy } from './tool-policy.js';

const ALICE = { tenantId: 'acme', userId: 'alice' };
const UNSAFE = serverTool('pay', { effects: 'unsafe' });
const ACCOUNTANT: Authority = {
  actor: { kind: 'user', id: 'alice' },
  agents: [],
  tools: [],
  models: [],
  roles: ['accountant'],
};

function policyOf(...rules: object[]): ToolPolicy {
  const { rules: parsed, problems } = parsePolicy(JSON.stringify({ rules }));
  expect(problems).toEqual([]);
  return new ToolPolicy(parsed, 1000);
}

describe('rules about roles', () => {
  const policy = policyOf({ tool: '*', effect: 'allow', when: { roles: ['account*', 'boss'] } });
  const effect = (authority: Authority | null): string =>
    policy.decide({ tool: UNSAFE, args: {}, principal: ALICE, authority, agentType: 'worker' }).effect;

  it('a rule holds for a run whose starter has one of the roles', () => {
    expect(effect(ACCOUNTANT)).toBe('allow');
    expect(effect({ ...ACCOUNTANT, roles: ['intern'] })).toBe('ask');
  });

  it('a rule holds for nobody without authentication', () => {
    expect(effect(null)).toBe('ask');
  });

  it('a policy that asks who the user is warns without authentication', () => {
    const warned = (when: object): number => policyOf({ tool: '*', effect: 'deny', when }).warnings(false).length;
    expect([{ user: 'a' }, { tenant: 'a' }, { roles: 'a' }, { agentType: 'a' }].map(warned)).toEqual([1, 1, 1, 0]);
    expect(policyOf({ tool: '*', effect: 'deny', when: { user: 'a' } }).warnings(true)).toEqual([]);
  });
});

describe('the approvers of a rule', () => {
  const problemsOf = (rule: object): readonly string[] =>
    parsePolicy(JSON.stringify({ rules: [{ tool: 'pay', effect: 'ask', ...rule }] })).problems;

  it('are part of the decision that asks for an approval', () => {
    const policy = policyOf({ tool: 'pay', effect: 'ask', approvers: { roles: 'finance', notOwner: true } });
    const decision = policy.decide({ tool: UNSAFE, args: {}, principal: ALICE, authority: null, agentType: 'worker' });
    expect(decision).toMatchObject({ effect: 'ask', approvers: { roles: ['finance'], notOwner: true } });
    expect(policy.warnings(false)).toHaveLength(1);
  });

  it.each<[object, string]>([
    [{ approvers: {} }, 'rules[0].approvers must name roles, or notOwner with the value true'],
    [{ approvers: { notOwner: 'yes' } }, 'rules[0].approvers.notOwner must be true or false'],
    [{ approvers: { roles: [] } }, 'rules[0].approvers.roles must be a name'],
    [{ approvers: { users: ['a'] } }, 'rules[0].approvers must not have "users"'],
    [{ approvers: { notOwner: true }, effect: 'deny' }, 'rules[0].approvers is only for the effect ask'],
  ])('%j is a mistake in the file', (rule, problem) => {
    expect(problemsOf(rule).join('\n')).toContain(problem);
  });
});
