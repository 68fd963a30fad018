import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../../config/index.js';
import { type JsonObject, matchesGlob } from '../../../common/index.js';
import { ToolSettings } from '../tools.settings.js';
import type { ServerTool } from '../tool.js';
import { parsePath, valueAt } from './policy-condition.js';
import { loadPolicy, parsePolicy } from './policy-parser.js';
import { type PolicyDecision, ToolPolicy } from './tool-policy.js';

const DEFAULT_EXPIRY = 1000;

function tool(overrides: Partial<ServerTool> = {}): ServerTool {
  return {
    name: 'pay',
    description: 'Pays',
    parameters: { type: 'object' },
    effects: 'unsafe',
    timeoutMs: 1000,
    origin: { kind: 'local' },
    invoke: () => Promise.resolve('done'),
    ...overrides,
  };
}

function policyOf(...rules: object[]): ToolPolicy {
  const { rules: parsed, problems } = parsePolicy(JSON.stringify({ rules }));
  expect(problems).toEqual([]);
  return new ToolPolicy(parsed, DEFAULT_EXPIRY);
}

function decide(policy: ToolPolicy, args: JsonObject = {}, overrides: Partial<ServerTool> = {}): PolicyDecision {
  const principal = { tenantId: 'acme', userId: 'alice' };
  return policy.decide({ tool: tool(overrides), args, principal, authority: null, agentType: 'worker' });
}

const effect = (...given: Parameters<typeof decide>): string => decide(...given).effect;

/** Whether a rule with this condition applies to a call with these arguments. */
const applies = (when: object, args: JsonObject = {}, overrides: Partial<ServerTool> = {}): boolean =>
  effect(policyOf({ tool: '*', effect: 'deny', when }), args, { effects: 'none', ...overrides }) === 'deny';

describe('tools that may need an approval, before their arguments are known', () => {
  const principal = { tenantId: 'acme', userId: 'alice' };
  const mayAsk = (rules: object[], overrides: Partial<ServerTool> = {}): boolean =>
    policyOf(...rules).mayAsk({ tool: tool(overrides), principal, authority: null, agentType: 'worker' });
  const costly = { path: '$.sum', op: '>', value: 10 };
  const safe = { effects: 'none' } as const;

  it.each<[string, boolean, object[], Partial<ServerTool>]>([
    ['an unsafe tool without rules', true, [], {}],
    ['a safe tool without rules', false, [], safe],
    ['a rule that asks for some arguments', true, [{ tool: 'pay', effect: 'ask', when: costly }], safe],
    ['a rule that allows all', false, [{ tool: '*', effect: 'allow' }], {}],
    ['a run that asks', true, [{ tool: '*', effect: 'allow' }], { requiresApproval: true }],
    ['a rule that denies all', false, [{ tool: '*', effect: 'deny' }], {}],
    ['a rule that allows only some', true, [{ tool: 'pay', effect: 'allow', when: costly }], {}],
    ['a rule for another tool', false, [{ tool: 'sell', effect: 'ask' }], safe],
    ['a rule for another user', false, [{ tool: '*', effect: 'ask', when: { user: 'bob' } }], safe],
    [
      'a rule behind one that always decides',
      false,
      [
        { tool: 'p*', effect: 'allow', when: { user: 'alice' } },
        { tool: '*', effect: 'ask' },
      ],
      {},
    ],
  ])('%s', (_name, expected, rules, overrides) => {
    expect(mayAsk(rules, overrides)).toBe(expected);
  });
});

describe('the default policy', () => {
  const policy = new ToolPolicy([], DEFAULT_EXPIRY);
  const mcp = { kind: 'mcp', serverLabel: 'files' } as const;

  it.each([
    ['an unsafe local tool', {}, 'ask'],
    ['an idempotent local tool', { effects: 'idempotent' as const }, 'allow'],
    ['a local tool without effects', { effects: 'none' as const }, 'allow'],
    [
      'a local tool that says it destroys',
      { effects: 'idempotent' as const, annotations: { destructiveHint: true } },
      'ask',
    ],
    [
      'an MCP tool that only reads',
      { origin: mcp, effects: 'none' as const, annotations: { readOnlyHint: true } },
      'allow',
    ],
    ['an MCP tool that says nothing', { origin: mcp }, 'ask'],
    ['an MCP tool that destroys', { origin: mcp, annotations: { destructiveHint: true } }, 'ask'],
    ['an MCP tool that does not destroy', { origin: mcp, annotations: { destructiveHint: false } }, 'allow'],
  ])('%s: %s %s', (_name, overrides, expected) => {
    expect(effect(policy, {}, overrides)).toBe(expected);
  });

  it('an approval has the default time limit', () => {
    expect(decide(policy)).toEqual({
      effect: 'ask',
      rule: null,
      reason: null,
      expiresInMs: DEFAULT_EXPIRY,
      mayEdit: false,
    });
  });
});

describe('policy rules', () => {
  it('the first matching rule decides', () => {
    const policy = policyOf(
      { tool: 'pay', effect: 'deny', when: { path: '$.amount', op: '>', value: 100 }, reason: 'Too much.' },
      { tool: ['p*', 'send_?'], effect: 'ask', expiresIn: '10m', allowEdit: true },
      { tool: '*', effect: 'allow' },
    );
    expect(decide(policy, { amount: 101 })).toEqual({ effect: 'deny', rule: 0, reason: 'Too much.' });
    expect(decide(policy, { amount: 100 })).toEqual({
      effect: 'ask',
      rule: 1,
      reason: null,
      expiresInMs: 600_000,
      mayEdit: true,
    });
    expect(effect(policy, {}, { name: 'send_1' })).toBe('ask');
    expect(effect(policy, {}, { name: 'send_12' })).toBe('allow');
  });

  it.each([
    [{ path: '$.n', op: '==', value: 1 }, { n: 1 }, true],
    [{ path: '$.n', op: '==', value: 1 }, { n: '1' }, false],
    [{ path: '$.o', op: '==', value: { b: 1, a: 2 } }, { o: { a: 2, b: 1 } }, true],
    [{ path: '$.n', op: '!=', value: 1 }, { n: 2 }, true],
    [{ path: '$.n', op: '!=', value: 1 }, {}, true],
    [{ path: '$.n', op: '>', value: 1 }, { n: 2 }, true],
    [{ path: '$.n', op: '>', value: 1 }, { n: '2' }, true],
    [{ path: '$.n', op: '<', value: 1 }, { n: [2] }, true],
    [{ path: '$.n', op: '>', value: 1 }, {}, false],
    [{ path: '$.n', op: '>=', value: 2 }, { n: 2 }, true],
    [{ path: '$.n', op: '<', value: 2 }, { n: 2 }, false],
    [{ path: '$.n', op: '<=', value: 2 }, { n: 2 }, true],
    [{ path: '$.day', op: '<', value: '2026-06-01' }, { day: '2026-05-31' }, true],
    [{ path: '$.n', op: 'in', value: [1, 'x'] }, { n: 'x' }, true],
    [{ path: '$.n', op: 'in', value: [1, 'x'] }, { n: 'y' }, false],
    [{ path: '$.to', op: 'contains', value: 'b' }, { to: ['a', 'b'] }, true],
    [{ path: '$.to', op: 'contains', value: '@evil' }, { to: 'me@evil.example' }, true],
    [{ path: '$.to', op: 'contains', value: 'x' }, { to: 5 }, false],
    [{ path: '$.to', op: 'matches', value: '^[a-z]+@x\\.org$' }, { to: 'a@x.org' }, true],
    [{ path: '$.to', op: 'matches', value: '^a$' }, { to: 7 }, false],
    [{ path: '$.to[1].mail', op: '==', value: 'm' }, { to: [{}, { mail: 'm' }] }, true],
    [{ path: '$.x', op: 'exists' }, { x: null }, true],
    [{ path: '$.x', op: 'exists', value: false }, {}, true],
    [{ path: '$.constructor', op: 'exists' }, {}, false],
    [{ tenant: 'ac*', user: ['bob', 'alice'], agentType: 'worker', server: 'local' }, {}, true],
    [{ tenant: 'other' }, {}, false],
    [{ user: 'alic' }, {}, false],
    [[{ tenant: 'acme' }, { path: '$.n', op: '==', value: 1 }], { n: 2 }, false],
  ])('the condition %j on the arguments %j is %s', (when, args, expected) => {
    expect(applies(when, args as JsonObject)).toBe(expected);
  });

  it('a pattern over the time limit matches restrictive rules only', () => {
    const when = { path: '$.to', op: 'matches', value: '^(a|a?)+b$' };
    const args = { to: 'a'.repeat(40) };
    expect(effect(policyOf({ tool: '*', effect: 'deny', when }), args, { effects: 'none' })).toBe('deny');
    expect(effect(policyOf({ tool: '*', effect: 'allow', when }), args)).toBe('ask');
    expect(applies({ ...when, value: 'x' }, { to: 'a'.repeat(20_000) })).toBe(true);
  });

  it('a comparison of values without an order matches restrictive rules only', () => {
    const when = { path: '$.amount', op: '<', value: 100 };
    const policy = policyOf({ tool: '*', effect: 'allow', when }, { tool: '*', effect: 'deny' });
    expect(effect(policy, { amount: 5 })).toBe('allow');
    for (const amount of ['5', null, [5]]) expect(effect(policy, { amount })).toBe('deny');
  });

  it('rules can use the server and the annotations of a tool', () => {
    const origin = { kind: 'mcp', serverLabel: 'files' } as const;
    expect(applies({ server: 'fil*' }, {}, { origin })).toBe(true);
    expect(applies({ server: 'local' }, {}, { origin })).toBe(false);
    const when = { annotation: 'destructiveHint', op: '==', value: true };
    expect(applies(when, {}, { origin, annotations: { destructiveHint: true } })).toBe(true);
    expect(applies(when, {}, { origin })).toBe(false);
  });
});

describe('the policy file', () => {
  it.each([
    ['{', 'the file is not valid JSON'],
    ['[]', 'the file must be an object'],
    ['{"rules":{}}', 'rules must be a list'],
    ['{"rules":[],"extra":1}', 'the file must not have "extra"'],
    ['{"rules":[1]}', 'rules[0] must be an object'],
    ['{"rules":[{"tool":"a","effect":"maybe"}]}', 'rules[0].effect must be one of allow, deny, ask'],
    ['{"rules":[{"effect":"deny"}]}', 'rules[0].tool must be a name'],
    ['{"rules":[{"tool":[],"effect":"deny"}]}', 'rules[0].tool must be a name'],
    ['{"rules":[{"tool":"a","effect":"deny","expiresIn":"1h"}]}', 'rules[0].expiresIn is only for the effect ask'],
    ['{"rules":[{"tool":"a","effect":"ask","expiresIn":"soon"}]}', 'rules[0].expiresIn must be a length of time'],
    ['{"rules":[{"tool":"a","effect":"ask","allowEdit":"yes"}]}', 'rules[0].allowEdit must be true or false'],
    ['{"rules":[{"tool":"a","effect":"deny","when":{}}]}', 'rules[0].when must name something'],
    ['{"rules":[{"tool":"a","effect":"deny","when":{"paht":"$.a"}}]}', 'rules[0].when must not have "paht"'],
    [
      '{"rules":[{"tool":"a","effect":"deny","when":{"path":"amount","op":"==","value":1}}]}',
      'rules[0].when.path must be a path',
    ],
    [
      '{"rules":[{"tool":"a","effect":"deny","when":{"path":"$.a","op":"=","value":1}}]}',
      'rules[0].when.op must be one of',
    ],
    ['{"rules":[{"tool":"a","effect":"deny","when":{"path":"$.a","op":">"}}]}', 'rules[0].when.value is required'],
    [
      '{"rules":[{"tool":"a","effect":"deny","when":{"path":"$.a","op":">","value":true}}]}',
      'rules[0].when.value must be a number or a text',
    ],
    [
      '{"rules":[{"tool":"a","effect":"deny","when":{"path":"$.a","op":"in","value":1}}]}',
      'rules[0].when.value must be a list',
    ],
    [
      '{"rules":[{"tool":"a","effect":"deny","when":{"path":"$.a","op":"matches","value":"("}}]}',
      'rules[0].when.value is not a regular expression',
    ],
    ['{"rules":[{"tool":"a","effect":"deny","when":[{"op":"==","value":1}]}]}', 'rules[0].when[0] must have a path'],
    [
      '{"rules":[{"tool":"a","effect":"deny","when":{"annotation":"x","op":"exists"}}]}',
      'rules[0].when.annotation must be one of',
    ],
  ])('%s: %s', (text, problem) => {
    const { rules, problems } = parsePolicy(text);
    expect(problems.join('\n')).toContain(problem);
    expect(rules).toEqual([]);
  });

  it('an invalid or unreadable file stops the start with all its problems', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-policy-'));
    const file = join(folder, 'policy.json');
    writeFileSync(file, '{"rules":[{"tool":"a","effect":"x"},{"effect":"deny"}]}');
    const load = (path: string): ToolPolicy => loadPolicy(readSettings(ToolSettings, { TOOL_POLICY_FILE: path }));
    expect(() => load(file)).toThrow(/TOOL_POLICY_FILE .*rules\[0\]\.effect[^]*TOOL_POLICY_FILE .*rules\[1\]\.tool/);
    expect(() => load(join(folder, 'none.json'))).toThrow(
      /TOOL_POLICY_FILE names a file that cannot be read \(ENOENT\)/,
    );
    writeFileSync(file, '\uFEFF{"rules":[]}');
    expect(effect(load(file))).toBe('ask');
    rmSync(folder, { recursive: true });
  });
});

describe('globs and paths', () => {
  it.each([
    ['*', '', true],
    ['a*c', 'abbc', true],
    ['a*c*e', 'abcde', true],
    ['a?c', 'ac', false],
    ['a.c', 'abc', false],
    ['*a', 'ba', true],
    ['', 'a', false],
  ])('%j matches %j: %s', (pattern, text, expected) => expect(matchesGlob(pattern, text)).toBe(expected));

  it('a glob is matched in short time', () => {
    expect(matchesGlob(`${'*a'.repeat(50)}b`, 'a'.repeat(5000))).toBe(false);
  });

  it.each([
    ['$', []],
    ['$.a.b-c', ['a', 'b-c']],
    ['$.a[0]["x.y"][\'z\']', ['a', 0, 'x.y', 'z']],
    ['a', undefined],
    ['$a', undefined],
    ['$.', undefined],
    ['$[x]', undefined],
  ])('%s is the path %j', (text, expected) => expect(parsePath(text)).toEqual(expected));

  it('only own members are found', () => {
    expect(valueAt({ a: [{ b: 1 }] }, ['a', 0, 'b'])).toBe(1);
    expect(valueAt({ a: 'text' }, ['a', 'length'])).toBeUndefined();
    expect(valueAt({}, ['__proto__'])).toBeUndefined();
  });
});

describe('a tool whose request requires approval', () => {
  const asking = { effects: 'none', requiresApproval: true } as const;

  it('an approval is required although the policy allows the call', () => {
    const asked = { effect: 'ask', rule: null, reason: null, expiresInMs: DEFAULT_EXPIRY, mayEdit: false };
    expect(decide(policyOf(), {}, asking)).toEqual(asked);
    expect(decide(policyOf({ tool: '*', effect: 'allow' }), {}, asking)).toEqual(asked);
  });

  it('a denied call stays denied, and an approval follows the policy', () => {
    expect(decide(policyOf({ tool: '*', effect: 'deny' }), {}, asking)).toMatchObject({ effect: 'deny', rule: 0 });
    const rule = { tool: '*', effect: 'ask', reason: 'Money.', allowEdit: true };
    expect(decide(policyOf(rule), {}, asking)).toMatchObject({
      effect: 'ask',
      rule: 0,
      reason: 'Money.',
      mayEdit: true,
    });
  });
});

describe('integers beyond 2^53', () => {
  const [big, next] = [2512292042121000001n, 2512292042121000002n];
  const of = (op: string, value: string): ToolPolicy => {
    const when = `{"path": "$.id", "op": "${op}", "value": ${value}}`;
    const { rules, problems } = parsePolicy(`{"rules": [{"tool": "pay", "effect": "deny", "when": ${when}}]}`);
    expect(problems).toEqual([]);
    return new ToolPolicy(rules, DEFAULT_EXPIRY);
  };
  const denies = (policy: ToolPolicy, id: bigint): boolean =>
    effect(policy, { id } as unknown as JsonObject) === 'deny';

  it.each([
    ['==', `${big}`, true, false],
    ['in', `[${big}]`, true, false],
    ['>', `${big}`, false, true],
    ['<=', `${big}`, true, false],
    ['>', '1000', true, true],
  ])('a rule with %s %s compares them exactly', (op, value, ofBig, ofNext) => {
    const policy = of(op, value);
    expect([denies(policy, big), denies(policy, next)]).toEqual([ofBig, ofNext]);
  });
});
