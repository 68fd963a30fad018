import {
  ApiKeys,
  isOpen,
  type Need,
  needOfRoute,
  personParameter,
  PLAIN_SCOPES,
  routesOf,
  Tenants,
} from '../../src/access/index.js';
import { Clock, loggedPath, SERVER_ORIGIN } from '../../src/common/index.js';
import { apiKey, bearer, TEST_MANAGER } from '../support/keys.js';
import { ManualClock } from '../support/manual-clock.js';
import { requestPath } from '../support/route-paths.js';
import { startServer, type TestServer } from '../support/server.js';

/** A request for a route. */
interface Target {
  readonly method: string;
  readonly path: string;
  readonly need: Need | undefined;
}

/** How the error bodies of the wires name a refusal, by the beginning of the path (contract access, section 3.9). */
const BODIES: readonly [RegExp, Record<401 | 403, object>][] = [
  [
    /^(\/compatible-mode)?\/v1\/(responses|conversations|models|chat)/,
    { 401: { error: { code: 'invalid_api_key' } }, 403: { error: { code: 'permission_denied' } } },
  ],
  [
    /^\/copilotkit/,
    { 401: { error: 'Unauthorized', code: 'AUTH_FAILED' }, 403: { error: 'Forbidden', code: 'PERMISSION_DENIED' } },
  ],
  [/^\/a2a(\/agents\/[^/]+)?$/, { 401: { jsonrpc: '2.0', error: { code: -32000 } }, 403: { error: { code: -32000 } } }],
  [/^\/mcp/, { 401: { jsonrpc: '2.0', error: { code: -32000 } }, 403: { error: { code: -32000 } } }],
  [/^\/a2a/, { 401: { error: { status: 'UNAUTHENTICATED' } }, 403: { error: { status: 'PERMISSION_DENIED' } } }],
  [/^\/api\/v1\/agent\//, { 401: { code: 'auth_failed' }, 403: { code: 'permission_denied' } }],
  [/^/, { 401: { code: 'AUTH_FAILED' }, 403: { code: 'PERMISSION_DENIED' } }],
];

/** What stands before ids in paths that are not those of a person. */
const NO_PERSONS = new Set(
  `a2a agent agents ag-ui ai-sdk approvals attachments bots budgets completions conversation conversations deliveries
  interrupts items keys models process pushNotificationConfigs responses run runs schedules sessions stop task tasks tenants
  threads tools webhooks`.split(/\s+/),
);

describe('every route, with every kind of credential', () => {
  const clock = new ManualClock();
  let server: TestServer;
  let count = 0;
  let targets: readonly Target[];
  /** Credentials that are refused with 401, by what is wrong with them. */
  let refused: Readonly<Record<string, string | undefined>>;

  beforeAll(async () => {
    server = await startServer({
      // Each request comes from another address: invalid credentials are limited by address.
      env: { AUTH: 'keys', TRUSTED_PROXIES: '127.0.0.0/8' },
      overrides: [{ provide: Clock, useValue: clock }],
    });
    targets = routesOf(server.app.getHttpAdapter().getInstance()).flatMap((route) =>
      [route.method].flat().map((method) => ({
        method,
        path: requestPath(route.url, '11111111-1111-4111-8111-111111111111').replace('*', 'x'),
        need: needOfRoute(route),
      })),
    );
    refused = {
      'no credential': undefined,
      'an empty one': '',
      'one of another form': 'sk-1234',
      'a key that never was': (await apiKey(server)).replace(/.{6}$/, '000000'),
      'an expired key': await expired(),
      'a revoked key': await revoked(),
      'a key of a suspended tenant': await suspended(),
    };
  });
  afterAll(() => server.close());

  async function expired(): Promise<string> {
    const key = await apiKey(server, { expiresInMs: 60_000 });
    clock.advance(61_000);
    return key;
  }

  async function revoked(): Promise<string> {
    const key = await apiKey(server);
    const { id } = (await server.get(ApiKeys).identify(key))?.key ?? { id: '' };
    await server.get(ApiKeys).revoke({ of: 'installation' }, id, TEST_MANAGER);
    return key;
  }

  async function suspended(): Promise<string> {
    const key = await apiKey(server, { tenant: 'gone' });
    await server.get(Tenants).suspend('gone', SERVER_ORIGIN);
    return key;
  }

  async function ask({ method, path }: Target, key: string | undefined): Promise<Response> {
    const isBody = method !== 'GET' && method !== 'HEAD';
    return fetch(server.url + path, {
      method,
      headers: {
        'x-forwarded-for': `10.0.${(count += 1) >> 8}.${count & 255}`,
        ...(key !== undefined && bearer(key)),
        ...(isBody && { 'content-type': 'application/json' }),
      },
      ...(isBody && { body: '{}' }),
      signal: AbortSignal.timeout(20_000),
    });
  }

  /** What is wrong with an answer; undefined if it is a refusal as the wire of the path words it. */
  async function fault(target: Target, answer: Response, status: 401 | 403, challenge: string): Promise<unknown> {
    const header = answer.headers.get('www-authenticate') ?? '';
    if (answer.status !== status || !header.includes(challenge)) return [target, answer.status, header];
    if (target.method === 'HEAD') return undefined;
    const body = (await answer.json()) as Record<string, unknown>;
    const wanted = BODIES.find(([path]) => path.test(target.path))?.[1][status] ?? {};
    try {
      expect(body).toMatchObject(wanted);
      return undefined;
    } catch {
      return [target, body];
    }
  }

  const closed = (): readonly Target[] => targets.filter(({ need }) => !isOpen(need));

  it('every route declares what it needs', () => {
    expect(targets.length).toBeGreaterThan(90);
    expect(targets.filter(({ need }) => need === undefined)).toEqual([]);
  });

  it('every route whose path names a person says so, and its id is not logged', () => {
    const routes = routesOf(server.app.getHttpAdapter().getInstance());
    const named = routes.flatMap(({ url, config }) => {
      const segments = url.split('/');
      return segments.flatMap((segment, index) => {
        const [, parameter] = /^:(\w+)/.exec(segment) ?? [];
        const before = segments.slice(0, index).findLast((one) => !one.startsWith(':')) ?? '';
        return parameter === undefined
          ? []
          : [{ url, parameter, before, isPerson: personParameter({ url, ...(config && { config }) }) === parameter }];
      });
    });
    // A new kind of id is listed here, or its controller has @NamesPerson.
    const unstated = named.filter(({ parameter, before, isPerson }) => {
      const isOfPerson = /user|person|owner|member/i.test(parameter + before);
      return !isPerson && (isOfPerson || !NO_PERSONS.has(before));
    });
    expect(unstated).toEqual([]);
    const people = named.filter(({ isPerson }) => isPerson);
    expect(people.map(({ url }) => url)).toContain('/admin/users/:id/erasure');
    for (const { url } of people) expect(loggedPath(requestPath(url, 'margaret'))).not.toContain('margaret');
  });

  it('the open routes are those of the contract', () => {
    const open = targets.filter(({ need, method }) => isOpen(need) && method === 'GET').map(({ path }) => path);
    expect(
      open.filter(
        (path) =>
          !/^\/(\.well-known\/(agent(-card)?\.json|oauth-protected-resource(\/mcp)?)|a2a\/(agents|jwks\.json|(agents\/([^/]+\/)?)?\.well-known\/agent-card\.json)|docs.*|console(\/.*)?|health|healthz|liveness|readiness|v1\/aibot\/bots\/[^/]+\/healthz|api\/v1\/console|api\/v1\/agent\/attachments\/[^/]+\/content)?$/.test(
            path,
          ),
      ),
    ).toEqual([]);
  });

  it.each([
    'no credential',
    'an empty one',
    'one of another form',
    'a key that never was',
    'an expired key',
    'a revoked key',
    'a key of a suspended tenant',
  ])('a request with %s gets 401 in the words of the wire', async (kind) => {
    const faults = [];
    for (const target of closed())
      faults.push(await fault(target, await ask(target, refused[kind]), 401, 'Bearer realm="parley"'));
    expect(faults.filter((one) => one !== undefined)).toEqual([]);
  });

  it('a key without the scope of a route gets 403 with the scope that is missing', async () => {
    const faults = [];
    for (const target of closed()) {
      const { need } = target;
      if (need === 'caller' || isOpen(need) || need === undefined) continue;
      const others = PLAIN_SCOPES.filter((scope) => !need.includes(scope) && scope !== 'admin:tenants');
      const key = await apiKey(server, { account: 'others', scopes: others });
      faults.push(await fault(target, await ask(target, key), 403, `error="insufficient_scope", scope="`));
    }
    expect(faults.filter((one) => one !== undefined)).toEqual([]);
  });

  it('a key with the scope of a route is let in, and no answer is a 5xx', async () => {
    const faults = [];
    for (const target of closed()) {
      const scopes = typeof target.need === 'object' ? [...target.need] : ['docs:read'];
      const { status } = await ask(target, await apiKey(server, { account: 'fitting', scopes }));
      if (status === 401 || status === 403 || status >= 500) faults.push([target, status]);
    }
    expect(faults).toEqual([]);
  });

  it('an address that does not exist is 401 without a credential and 404 with one', async () => {
    const target = { method: 'GET', path: '/none/such', need: 'caller' } as const;
    expect((await ask(target, undefined)).status).toBe(401);
    expect((await ask(target, await apiKey(server))).status).toBe(404);
  });
});
