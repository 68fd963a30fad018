import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { AuthenticatedCaller, type Caller, type Identity } from '../../src/access/index.js';
import { policyWarnings } from '../../src/app.setup.js';
import { type Principal, type Reach, type Requester, tenantReach } from '../../src/common/index.js';
import { Database } from '../../src/database/index.js';
import { Interrupts } from '../../src/agent/interrupt/index.js';
import { AgKitConversations } from '../../src/protocol/ag-kit/ag-kit-conversations.service.js';
import { CopilotThreads } from '../../src/protocol/copilotkit/copilotkit-threads.service.js';
import { ResponseRequests } from '../../src/protocol/responses/response-requests.js';
import { type RunRequest, Runs } from '../../src/run/index.js';
import { Sessions } from '../../src/agent/session/index.js';
import { CALLER } from '../support/caller.js';
import { describeOnDatabases } from '../support/databases.js';
import { ALICE, codeOf, nextId, person, runRequest, userText } from '../support/ledger.js';
import { startServer, type TestServer } from '../support/server.js';

/** Another user of Alice's tenant, and Alice's namesake in another tenant. */
const BOB = person('bob');
const NAMESAKE = person('alice', 'other');
const TENANT = tenantReach('default');
/** Reaches that Alice's things are outside of. */
const FOREIGN: readonly (readonly [string, Reach])[] = [
  ['another user', BOB],
  ['a user of another tenant with the same id', NAMESAKE],
  ['another tenant', tenantReach('other')],
  ['a user whose id cannot be stored', person('al\0ice')],
];

/** What the idempotency key `key` becomes without authentication: clients of earlier versions have such ids. */
const UNAUTHENTICATED_ID = 'resp_665b0d960e9b6aa204e8ff71bc28be47';

/** A key that acts for itself, and one that is pinned to a user. */
const IDENTITY: Identity = {
  tenantId: 'default',
  actor: { kind: 'key', id: 'k1', account: 'ci' },
  userId: undefined,
  scopes: ['runs:write', 'users:*'],
  roles: [],
  expiresAt: undefined,
};
const KEY = new AuthenticatedCaller(IDENTITY, new IncomingMessage(new Socket()), 'refuse');
const USER = new AuthenticatedCaller(
  { ...IDENTITY, actor: { kind: 'user', id: 'ana' }, userId: 'ana' },
  new IncomingMessage(new Socket()),
  'refuse',
);

const REQUESTER: Requester = {
  actor: { kind: 'key', id: 'k1', account: 'ci' },
  agents: [],
  tools: [],
  models: [],
  roles: [],
  userId: 'alice',
  requestId: 'request-1',
  canDecide: true,
  canWrite: true,
};

describeOnDatabases('the reach of a request', (open) => {
  let server: TestServer;
  let runs: Runs;
  beforeAll(async () => {
    server = await startServer({ database: open });
    runs = server.get(Runs);
  });
  afterAll(() => server.close());

  /** A run of Alice's that has ended. */
  async function finished(overrides: Partial<RunRequest> = {}): Promise<string> {
    const { run } = await runs.accept(runRequest({ sessionId: nextId('reach'), ...overrides }));
    for await (const _ of runs.tail(ALICE, run.runId)) void _;
    return run.runId;
  }

  /** An approval that a run of Alice's waits for. */
  async function asked(): Promise<string> {
    const sessionId = nextId('asked');
    const input = [userText('Schedule a meeting with Ana on 2030-05-01 at 9:00')];
    await finished({ sessionId, input });
    const [interrupt] = await server.get(Interrupts).pending(ALICE, sessionId);
    return interrupt?.id ?? '';
  }

  async function tailOf(reach: Reach, runId: string): Promise<void> {
    for await (const _ of runs.tail(reach, runId)) return;
  }

  it.each(FOREIGN)('%s finds no run, whatever is done with it', async (_, reach) => {
    const runId = await finished();
    const attempts: Promise<unknown>[] = [
      runs.view(reach, runId),
      runs.response(reach, runId),
      runs.input(reach, runId),
      runs.cancel(reach, runId),
      runs.remove(reach, runId),
      tailOf(reach, runId),
    ];
    expect(await Promise.all(attempts.map(codeOf))).toEqual(attempts.map(() => 'RUN_NOT_FOUND'));
    expect((await runs.view(ALICE, runId)).cancelRequestedAt).toBeNull();
  });

  it('its owner and its tenant find a run, with the same view', async () => {
    const runId = await finished();
    const view = await runs.view(ALICE, runId);
    expect(view).toMatchObject({ runId, tenantId: 'default', userId: 'alice' });
    expect(await runs.view(TENANT, runId)).toEqual(view);
  });

  it('two users may have runs with the same id, and a tenant has to name the user', async () => {
    const runId = nextId('same');
    await finished({ runId });
    const request = runRequest({
      runId,
      principal: BOB,
      sessionId: nextId('reach'),
      input: [userText('Something else')],
    });
    expect((await runs.accept(request)).created).toBe(true);
    expect((await runs.view(ALICE, runId)).userId).toBe('alice');
    expect((await runs.view(BOB, runId)).userId).toBe('bob');
    const attempts = [runs.view(TENANT, runId), runs.cancel(TENANT, runId), runs.remove(TENANT, runId)];
    expect(await Promise.all(attempts.map(codeOf))).toEqual(attempts.map(() => 'AMBIGUOUS_ID'));
    expect(await codeOf(runs.accept({ ...request, reach: TENANT }))).toBe('AMBIGUOUS_ID');
    const read = (headers?: Record<string, string>) => fetch(`${server.url}/process/${runId}`, headers && { headers });
    const answer = await read();
    expect([answer.status, await answer.json()]).toEqual([409, expect.objectContaining({ code: 'AMBIGUOUS_ID' })]);
    const named = await read({ 'x-user-id': 'alice' });
    expect([named.status, await named.json()]).toEqual([200, await runs.response(ALICE, runId)]);
  });

  it('an idempotency key makes ids of its user, and without authentication the same id for everybody', () => {
    const requests = server.get(ResponseRequests);
    const idOf = (caller: Caller, owner: Principal): string => requests.responseId('key', caller, owner);
    const owners = [ALICE, BOB, NAMESAKE];
    expect(new Set(owners.map((owner) => idOf(KEY, owner))).size).toBe(3);
    expect(idOf(KEY, ALICE)).toBe(idOf(KEY, ALICE));
    expect(new Set(owners.map((owner) => idOf(CALLER, owner)))).toEqual(new Set([UNAUTHENTICATED_ID]));
  });

  it.each<[string, Caller, string | undefined]>([
    ['without authentication', CALLER, 'bob'],
    ['for a key', KEY, 'bob'],
    ["but not in a request of a user's own credential", USER, undefined],
  ])('the field user of Responses names a user %s', (_, caller, user) => {
    const request = server.get(ResponseRequests).decode({ input: 'Hi', user: 'bob', safety_identifier: 'x' }, caller);
    expect([request.user, request.echo.user]).toEqual([user, 'bob']);
    const other = server.get(ResponseRequests).decode({ input: 'Hi', safety_identifier: 'x' }, caller);
    expect(other.user).toBe(caller === CALLER ? 'x' : undefined);
  });

  it('sessions without a user are listed without authentication only', async () => {
    const id = nextId('unnamed');
    await server.get(Sessions).create({ tenantId: 'default', userId: id }, id);
    await server.get(Sessions).create(KEY.principal, nextId('own'));
    const threads = async (caller: Caller): Promise<readonly string[]> => {
      const list = await server.get(CopilotThreads).list(caller, { includeArchived: true, limit: 100 });
      return list.threads.map(({ id: threadId }) => threadId);
    };
    const conversations = async (caller: Caller): Promise<readonly string[]> => {
      const list = await server.get(AgKitConversations).list({ caller, user: undefined }, 0, 100);
      return list.conversationList.map(({ conversationId }) => conversationId);
    };
    for (const listed of [threads, conversations]) {
      expect(await listed(CALLER)).toContain(id);
      expect(await listed(KEY)).toEqual([expect.stringMatching(/^own-/)]);
    }
  });

  it.each(FOREIGN)('%s does not find the owner of a session', async (_, reach) => {
    const id = nextId('owned');
    await server.get(Sessions).create(ALICE, id);
    const sessions = server.get(Sessions);
    expect(await sessions.ownerOf(reach, id)).toBeUndefined();
    expect(await sessions.ownerOf(TENANT, id)).toEqual({ tenantId: 'default', userId: 'alice' });
    await sessions.create(BOB, id);
    expect(await codeOf(sessions.ownerOf(TENANT, id))).toBe('AMBIGUOUS_ID');
    expect((await sessions.ownerOf(BOB, id))?.userId).toBe('bob');
  });

  it('a repeated request gets its own run, not that of another user with the same id', async () => {
    const request = { runId: nextId('repeated'), sessionId: nextId('reach') };
    const own = await finished(request);
    const again = await runs.accept(runRequest({ ...request, input: [userText('Hello')], principal: ALICE }));
    expect([again.created, again.run.runId]).toEqual([false, own]);
    const other = await runs.accept(runRequest({ ...request, input: [userText('Hello')], principal: BOB }));
    expect([other.created, other.run.userId]).toEqual([true, 'bob']);
    // Whoever reaches the whole tenant and names no user repeats a run of any user.
    const seen = await codeOf(runs.accept(runRequest({ ...request, principal: person('eve'), reach: TENANT })));
    expect(seen).toBe('AMBIGUOUS_ID');
  });

  it.each([
    ['another user', BOB],
    ['a user of another tenant with the same id', NAMESAKE],
  ])('%s does not continue a run', async (_, principal: Principal) => {
    const after = await finished();
    const request = runRequest({ principal, sessionId: nextId('branch'), after });
    expect(await codeOf(runs.accept(request))).toBe('RUN_NOT_FOUND');
  });

  it.each(FOREIGN)('%s does not see, list or answer an interrupt', async (_, reach) => {
    const id = await asked();
    const interrupts = server.get(Interrupts);
    const { sessionId } = (await interrupts.find(ALICE, id)) ?? { sessionId: '' };
    expect(await interrupts.find(reach, id)).toBeUndefined();
    expect(await interrupts.pending(reach, sessionId)).toEqual([]);
    expect((await interrupts.list(reach, { sessionId, limit: 10 })).items).toEqual([]);
    const answer = { interruptId: id, status: 'resolved', approve: true } as const;
    expect(await codeOf(runs.answer(reach, null, [answer]))).toBe('INTERRUPT_NOT_FOUND');
    const elsewhere = runRequest({ principal: BOB, reach, sessionId, input: [], answers: [answer] });
    expect(await codeOf(runs.accept(elsewhere))).toBe('INTERRUPT_NOT_FOUND');
    expect((await interrupts.find(ALICE, id))?.status).toBe('pending');
  });

  it('the run that answers an interrupt belongs to its owner, whoever of the tenant answers it', async () => {
    const interruptId = await asked();
    const { run } = await runs.answer(TENANT, null, [{ interruptId, status: 'resolved', approve: false }]);
    expect(run).toMatchObject({ tenantId: 'default', userId: 'alice' });
  });

  it('a run has the authority of whoever started it, and the run that answers its interrupt has it too', async () => {
    const sessionId = nextId('authority');
    const input = [userText('Schedule a meeting with Ana on 2030-05-01 at 9:00')];
    await finished({ sessionId, input, requester: { ...REQUESTER, tools: ['calendar_*'] } });
    const [asked] = await server.get(Interrupts).pending(ALICE, sessionId);
    const answer = { interruptId: asked?.id ?? '', status: 'resolved', approve: false } as const;
    const boss: Requester = { ...REQUESTER, actor: { kind: 'user', id: 'boss' }, roles: ['boss'] };
    const { run } = await runs.answer(TENANT, boss, [answer]);
    const authorities = await server
      .get(Database)
      .read.all<{ authority: string }>('SELECT authority FROM runs WHERE session_id = ? ORDER BY no', [sessionId]);
    const kept = { actor: REQUESTER.actor, agents: [], tools: ['calendar_*'], models: [], roles: [] };
    expect(authorities.map(({ authority }) => JSON.parse(authority) as unknown)).toEqual([kept, kept]);
    expect(run.userId).toBe('alice');
  });

  it('a server whose policy asks for no users has nothing to warn of', () => {
    expect(policyWarnings(server.app)).toEqual([]);
  });

  it.each<[string, string, Partial<Requester>, Partial<RunRequest>]>([
    ['an agent outside its patterns', 'AGENT_NOT_FOUND', { agents: ['support-*'] }, {}],
    ['an internal agent that a pattern matches', 'AGENT_NOT_FOUND', { agents: ['*'] }, { agentType: 'memory' }],
    ['an internal agent that it names', 'resolved', { agents: ['memory'] }, { agentType: 'memory' }],
    ['a model without a pattern', 'PERMISSION_DENIED', {}, { modelOptions: { model: 'costly' } }],
    ['a model that a pattern matches', 'resolved', { models: ['cost*'] }, { modelOptions: { model: 'costly' } }],
    ['the configured model', 'resolved', {}, { modelOptions: { model: 'offline-demo' } }],
  ])('a caller asks for %s: %s', async (_, code, rights, request) => {
    const requester = { ...REQUESTER, ...rights };
    const accepted = runs.accept(runRequest({ sessionId: nextId('rights'), requester, ...request }));
    expect(await codeOf(accepted)).toBe(code);
  });

  it.each(FOREIGN)('%s finds no message', async (_, reach) => {
    const message = userText('Remember this');
    await finished({ input: [message] });
    const sessions = server.get(Sessions);
    expect((await sessions.findMessage(ALICE, message.id))?.userId).toBe('alice');
    expect(await sessions.findMessage(reach, message.id)).toBeUndefined();
  });
});
