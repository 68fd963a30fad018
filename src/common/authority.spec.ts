import { type Actor, type Authority, isSameActor, mayRunAgent, mayUseModel, mayUseTool } from './authority.js';

const NONE: Authority = {
  actor: { kind: 'key', id: 'k1', account: 'ci' },
  agents: [],
  tools: [],
  models: [],
  roles: [],
};

describe('an authority', () => {
  it('without patterns reaches all public agents, all tools and the configured model', () => {
    expect([mayRunAgent(NONE, 'worker', false), mayRunAgent(NONE, 'memory', true)]).toEqual([true, false]);
    expect(mayUseTool(NONE, 'pay')).toBe(true);
    expect([mayUseModel(NONE, 'small', 'small'), mayUseModel(NONE, 'large', 'small')]).toEqual([true, false]);
  });

  it('with patterns reaches what one of them matches', () => {
    const some = { ...NONE, agents: ['support-*'], tools: ['files_*', 'look'], models: ['qwen-*'] };
    expect([mayRunAgent(some, 'support-de', false), mayRunAgent(some, 'worker', false)]).toEqual([true, false]);
    expect(['files_read', 'look', 'looks'].map((name) => mayUseTool(some, name))).toEqual([true, true, false]);
    expect(['qwen-max', 'gpt', 'small'].map((name) => mayUseModel(some, name, 'small'))).toEqual([true, false, true]);
  });

  it('of a key reaches an internal agent that it names literally, and none by a pattern', () => {
    expect(mayRunAgent({ ...NONE, agents: ['*'] }, 'memory', true)).toBe(false);
    expect(mayRunAgent({ ...NONE, agents: ['memory'] }, 'memory', true)).toBe(true);
    const user: Authority = { ...NONE, actor: { kind: 'user', id: 'alice' }, agents: ['memory'] };
    expect(mayRunAgent(user, 'memory', true)).toBe(false);
  });

  it('takes a question mark of a pattern for itself', () => {
    expect(mayUseTool({ ...NONE, tools: ['l?ok'] }, 'look')).toBe(false);
  });
});

describe('two actors', () => {
  it.each<[boolean, Actor]>([
    [true, { kind: 'key', id: 'k1' }],
    [true, { kind: 'key', id: 'k2', account: 'ci' }],
    [false, { kind: 'key', id: 'k2', account: 'other' }],
    [false, { kind: 'key', id: 'k2' }],
    [false, { kind: 'user', id: 'k1' }],
  ])('are the same one: %s, for %j', (isSame, other) => {
    expect(isSameActor(NONE.actor, other)).toBe(isSame);
  });
});
