import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../config/index.js';
import { AccessSettings } from '../access.settings.js';
import { OidcSettings } from './oidc.settings.js';

const ISSUER = {
  alias: 'company',
  issuer: 'https://login.example.org/realms/company',
  audience: ['parley'],
  tenant: { fixed: 'default' },
};

const env = (...issuers: object[]): NodeJS.ProcessEnv => ({ AUTH: 'oidc', OIDC_ISSUERS: JSON.stringify(issuers) });

describe('the issuers of a server', () => {
  it('have defaults', () => {
    expect(readSettings(OidcSettings, env(ISSUER)).issuers).toEqual([
      {
        ...ISSUER,
        algorithms: ['RS256', 'ES256'],
        user: { claim: 'sub' },
        scopes: { claim: 'scope' },
        userPrefix: '',
        skewS: 60,
      },
    ]);
  });

  it.each<[string, object]>([
    ['audience', { audience: [] }],
    ['audience', { audience: undefined }],
    ['algorithms', { algorithms: ['HS256'] }],
    ['algorithms', { algorithms: ['none'] }],
    ['algorithms', { algorithms: [] }],
    ['issuer', { issuer: 'http://login.example.org' }],
    ['issuer', { issuer: 'https://login.example.org/?a=b' }],
    ['issuer', { issuer: 'https://user:password@login.example.org' }],
    ['tenant', { tenant: {} }],
    ['tenant', { tenant: undefined }],
    ['alias', { alias: 'Not A Slug' }],
    ['skewS', { skewS: 3600 }],
    ['userPrefix', { userPrefix: 'service:' }],
    ['audiences', { audiences: ['a misspelt key'] }],
    ['"boss"', { roles: { claim: 'groups', map: { staff: 'boss' } } }],
  ])('a mistake in %s stops the start and is named: %j', (name, more) => {
    expect(() => readSettings(OidcSettings, env({ ...ISSUER, ...more }))).toThrow(name);
  });

  it('two with one alias, one issuer, or users that could be mistaken for each other stop the start', () => {
    const other = { ...ISSUER, alias: 'partner', issuer: 'https://login.example.net' };
    expect(() => readSettings(OidcSettings, env(ISSUER, { ...other, alias: 'company' }))).toThrow('alias');
    expect(() => readSettings(OidcSettings, env(ISSUER, { ...other, issuer: ISSUER.issuer }))).toThrow('issuer');
    expect(() => readSettings(OidcSettings, env(ISSUER, other))).toThrow('userPrefix');
    expect(() => readSettings(OidcSettings, env(ISSUER, { ...other, userPrefix: 'partner|' }))).toThrow('userPrefix');
    expect(() => readSettings(OidcSettings, env(ISSUER, { ...other, tenant: { claim: 'org' } }))).toThrow('userPrefix');
    const apart = [
      { ...ISSUER, userPrefix: 'company|' },
      { ...other, userPrefix: 'partner|' },
    ];
    expect(readSettings(OidcSettings, env(...apart)).issuers).toHaveLength(2);
    expect(readSettings(OidcSettings, env(ISSUER, { ...other, tenant: { fixed: 'partner' } })).issuers).toHaveLength(2);
  });

  it('are needed with AUTH=oidc, in one of the two settings', () => {
    expect(() => readSettings(OidcSettings, { AUTH: 'oidc' })).toThrow('OIDC_ISSUERS_FILE must be set');
    expect(() => readSettings(OidcSettings, { ...env(ISSUER), OIDC_ISSUERS_FILE: 'x.json' })).toThrow('together');
    expect(() => readSettings(OidcSettings, { AUTH: 'oidc', OIDC_ISSUERS: '[{' })).toThrow('valid JSON');
    expect(() => readSettings(OidcSettings, { AUTH: 'oidc', OIDC_ISSUERS: '[]' })).toThrow('OIDC_ISSUERS');
    expect(() => readSettings(OidcSettings, { AUTH: 'oidc', OIDC_ISSUERS_FILE: '/no/such/file' })).toThrow('ENOENT');
    expect(readSettings(OidcSettings, { AUTH: 'none', OIDC_ISSUERS: '[{' }).issuers).toEqual([]);
  });
});

describe('files of the access settings', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-roles-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const file = (name: string, content: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };

  it('OIDC_ISSUERS_FILE is read', () => {
    const issuers = file('issuers.json', [ISSUER]);
    expect(readSettings(OidcSettings, { AUTH: 'oidc', OIDC_ISSUERS_FILE: issuers }).issuers).toHaveLength(1);
  });

  it('ROLES_FILE replaces the default roles', () => {
    const path = file('roles.json', { finance: ['runs:read', 'agents:report-*'] });
    const { roles } = readSettings(AccessSettings, { ROLES_FILE: path });
    expect(roles.known(['finance', 'user'])).toEqual(['finance']);
    expect(roles.scopesOf(['finance', 'user', '__proto__'])).toEqual(['runs:read', 'agents:report-*']);
  });

  it.each<[string, unknown]>([
    ['"runs:fly"', { user: ['runs:fly'] }],
    ['"user"', { user: 'runs:read' }],
    ['"a b"', { 'a b': [] }],
    ['JSON object', []],
    ['not valid JSON', '{'],
  ])('a mistake in ROLES_FILE stops the start and is named: %s', (name, content) => {
    const path = file('mistake.json', content);
    expect(() => readSettings(AccessSettings, { ROLES_FILE: path })).toThrow(name);
  });
});
