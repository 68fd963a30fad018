import { EMPTY_DRAFT, newKeyOf } from './new-key.js';

describe('the form for a key', () => {
  it('asks for a key with the default scopes, and leaves empty fields out', () => {
    expect(newKeyOf({ ...EMPTY_DRAFT, account: ' ci ' })).toEqual({
      account: 'ci',
      scopes: ['runs:write', 'runs:read'],
      expires: '90d',
    });
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
