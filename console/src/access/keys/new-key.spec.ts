import { emptyDraft, newKeyOf, offeredOf } from './new-key.js';

const EMPTY_DRAFT = emptyDraft(['runs:read', 'runs:write', 'admin:keys']);

describe('the form for a key', () => {
  it('asks for a key with the default scopes, and leaves empty fields out', () => {
    expect(newKeyOf({ ...EMPTY_DRAFT, account: ' ci ' })).toEqual({
      account: 'ci',
      scopes: ['runs:write', 'runs:read'],
      expires: '90d',
    });
  });

  it('offers no patterns, and chooses no scope that is not offered', () => {
    expect(offeredOf(['admin:keys', 'agents:*', 'runs:read'])).toEqual(['admin:keys', 'runs:read']);
    expect([...emptyDraft(['admin:keys', 'runs:read']).scopes]).toEqual(['runs:read']);
    expect([...emptyDraft(['admin:keys']).scopes]).toEqual([]);
  });

  it('adds what was entered, each scope once', () => {
    const draft = { ...EMPTY_DRAFT, account: 'ci', name: 'CI', user: 'ana', expires: 'never' };
    expect(newKeyOf({ ...draft, patterns: 'agents:*, runs:read', networks: '10.0.0.0/8 192.0.2.1' })).toEqual({
      account: 'ci',
      name: 'CI',
      user: 'ana',
      scopes: ['runs:write', 'runs:read', 'agents:*'],
      networks: ['10.0.0.0/8', '192.0.2.1'],
      expires: 'never',
    });
  });
});
