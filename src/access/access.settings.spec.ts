import { Configuration, readSettings, ServerSettings } from '../config/index.js';
import { AccessSettings } from './access.settings.js';

const problemsOf = (env: NodeJS.ProcessEnv): string => {
  try {
    Configuration.read(env, [ServerSettings, AccessSettings]);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('AUTH', () => {
  it('is none on loopback by default', () => {
    const settings = readSettings(AccessSettings, {});
    expect(settings.isAuthenticated).toBe(false);
    expect(settings.warnings()).toEqual([]);
  });

  it('is a list of methods, asked in a fixed order', () => {
    expect(readSettings(AccessSettings, { AUTH: 'oidc, keys' }).methods).toEqual(['keys', 'oidc']);
  });

  it.each(['keys,none', 'keys,keys', 'basic', ','])('%j is refused', (AUTH) => {
    expect(problemsOf({ AUTH })).toContain('AUTH must be none, or a comma-separated list of keys, oidc, proxy');
  });

  it.each([{}, { AUTH: 'none' }])('an address other than loopback with %j keeps the server from starting', (env) => {
    expect(problemsOf({ ...env, HOST: '0.0.0.0' })).toContain('AUTH must be keys, oidc or proxy');
    expect(problemsOf({ HOST: '0.0.0.0', AUTH: 'keys' })).toBe('');
  });

  it('ALLOW_UNAUTHENTICATED lets such a server start, with a warning', () => {
    const env = { HOST: '0.0.0.0', ALLOW_UNAUTHENTICATED: 'true' };
    expect(problemsOf(env)).toBe('');
    expect(readSettings(AccessSettings, env).warnings()).toEqual([expect.stringContaining('everyone who can reach')]);
  });
});
