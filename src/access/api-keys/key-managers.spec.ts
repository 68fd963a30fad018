import { Scopes } from '../identity/scopes.js';
import { grantProblem } from './key-managers.js';

const canGrant = (held: string, wanted: string): boolean =>
  grantProblem(new Scopes(held.split(' ')), new Scopes(wanted.split(' '))) === undefined;

describe('what a caller can grant', () => {
  it.each([
    ['runs:read runs:write', 'runs:read', true],
    ['runs:read', 'runs:write', false],
    ['admin:tenants', 'admin:tenants', false],
    ['users:*', 'users:alice', true],
    ['users:team-*', 'users:team-a-*', true],
    ['users:team-*', 'users:*', false],
    ['users:team-*', 'users:team', false],
    ['runs:read', 'users:alice', false],
    ['models:gpt-*', 'models:gpt-5', true],
    ['runs:read', 'models:gpt-5', false],
  ])('a holder of %s who grants %s: %s', (held, wanted, expected) => {
    expect(canGrant(held, wanted)).toBe(expected);
  });

  it.each([
    ['runs:read agents:support-*', 'runs:read', false],
    ['runs:read tools:get_*', 'runs:read', false],
    ['runs:read agents:support-*', 'runs:read agents:support-*', true],
    ['runs:read agents:support-*', 'runs:read agents:support-eu-*', true],
    ['runs:read', 'runs:read agents:support-* tools:get_weather', true],
    ['runs:read tools:get_*', 'runs:read tools:get_weather', true],
    ['runs:read tools:get_*', 'runs:read tools:pay', false],
  ])('a restriction is passed on: %s grants %s: %s', (held, wanted, expected) => {
    expect(canGrant(held, wanted)).toBe(expected);
  });

  it.each([
    ['runs:read agents:*', 'runs:read agents:memory', false],
    ['runs:read', 'runs:read agents:memory', false],
    ['runs:read agents:memory', 'runs:read agents:memory', true],
  ])(
    'an agent by its name needs the same scope, because it may be internal: %s grants %s: %s',
    (held, wanted, expected) => {
      expect(canGrant(held, wanted)).toBe(expected);
    },
  );
});
