import { calledWith, changesOf, deciderOf, decisionOf } from './changes.js';

const asked = { to: 'Ana', amount: 5, note: 'rent' };

describe('the changes of a person to the arguments of a model', () => {
  it('are those that differ, are new or were removed', () => {
    const decision = { approve: true, arguments: { to: 'Ana', amount: 7, urgent: true } };
    expect(changesOf({ arguments: asked, decision })).toEqual([
      { name: 'amount', asked: 5, called: 7 },
      { name: 'note', asked: 'rent', called: undefined },
      { name: 'urgent', asked: undefined, called: true },
    ]);
    expect(calledWith({ arguments: asked, decision })).toEqual(decision.arguments);
    expect(decisionOf({ status: 'approved', decision })).toBe('edited');
  });

  it('are none where the arguments stayed as they were', () => {
    expect(changesOf({ arguments: asked, decision: { approve: true } })).toEqual([]);
    expect(calledWith({ arguments: asked, decision: { approve: true } })).toEqual(asked);
    expect(decisionOf({ status: 'approved', decision: { approve: true } })).toBe('approved');
  });

  it('keep the digits of large integers', () => {
    const decision = { approve: true, arguments: { id: '9007199254740993' }, argumentsText: '{"id":9007199254740993}' };
    expect(calledWith({ arguments: { id: '1' }, decision })).toBe('{"id":9007199254740993}');
  });
});

describe('whoever has decided', () => {
  it.each([
    [{ kind: 'user', id: 'ana' }, 'ana', 'ana'],
    [{ kind: 'key', id: 'k1', account: 'shop' }, 'ana', 'ana (key shop)'],
    [{ kind: 'key', id: 'k1', account: 'shop' }, 'service:shop', 'service:shop'],
  ] as const)('%o as %s is called %s', (actor, userId, name) => {
    expect(deciderOf({ decidedBy: { actor, userId, requestId: 'r' } })).toBe(name);
  });

  it('has no name without authentication', () => {
    expect(deciderOf({})).toBeUndefined();
  });
});
