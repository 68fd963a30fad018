import { AuditReport } from '../../src/audit/index.js';
import { call } from '../../src/agent/testing/scripted-model-client.js';
import { type Requester, tenantReach } from '../../src/common/index.js';
import type { InterruptAnswer } from '../../src/run/index.js';
import { ApprovalDriver } from '../support/approval-driver.js';
import { ALICE, codeOf, describeOnLedgers } from '../support/ledger.js';
import { done } from '../support/sample-tools.js';

const TENANT = tenantReach('default');
/** The key that starts Alice's runs. */
const KEY: Requester = {
  actor: { kind: 'key', id: 'k1', account: 'ci' },
  agents: [],
  tools: [],
  models: [],
  roles: ['finance'],
  userId: 'alice',
  requestId: 'request-1',
  canDecide: true,
  canWrite: true,
};
const ANA: Requester = { ...KEY, actor: { kind: 'user', id: 'ana' }, userId: 'ana', requestId: 'request-2' };

describeOnLedgers('who may decide an approval', (ledger) => {
  const driver = new ApprovalDriver(ledger);
  afterEach(() => driver.server.stop());
  afterAll(() => driver.cleanUp());

  /** The id of an approval that waits under this rule of the policy. */
  async function asked(approvers?: object, requester: Requester | null = KEY): Promise<string> {
    await driver.start([{ tool: 'pay', effect: 'ask', ...(approvers && { approvers }) }]);
    driver.calls(call(0, 'pay', '{"to":"Ana","amount":5}', 'c1'));
    return (await driver.onlyOpen(await driver.ask({ requester }))).id;
  }

  const answer = (id: string, given: Partial<InterruptAnswer> = {}): InterruptAnswer => ({
    interruptId: id,
    status: 'resolved',
    approve: true,
    ...given,
  });
  const decide = (id: string, requester: Requester | null, given?: Partial<InterruptAnswer>): Promise<unknown> =>
    codeOf(driver.server.runs.answer(TENANT, requester, [answer(id, given)]));

  it.each<[string, string, object | undefined, Requester | null]>([
    ['the owner, without a rule', 'resolved', undefined, KEY],
    ['whoever lacks the right to decide', 'PERMISSION_DENIED', undefined, { ...ANA, canDecide: false }],
    ['somebody with one of the roles', 'resolved', { roles: ['boss', 'fin*'] }, ANA],
    ['somebody without the role', 'PERMISSION_DENIED', { roles: 'finance' }, { ...ANA, roles: ['user'] }],
    ['somebody else than the owner', 'resolved', { notOwner: true }, ANA],
    ['the owner with another credential', 'PERMISSION_DENIED', { notOwner: true }, { ...ANA, userId: 'alice' }],
    [
      'the key that started the run, for another user',
      'PERMISSION_DENIED',
      { notOwner: true },
      { ...KEY, userId: 'bo' },
    ],
    [
      'the successor of that key',
      'PERMISSION_DENIED',
      { notOwner: true },
      { ...KEY, actor: { kind: 'key', id: 'k2', account: 'ci' }, userId: 'bo' },
    ],
    ['nobody who is authenticated', 'PERMISSION_DENIED', { notOwner: true }, null],
  ])('%s: %s', async (_, code, approvers, requester) => {
    const id = await asked(approvers);
    expect(await decide(id, requester, { approve: false })).toBe(code);
    const view = await driver.server.interrupts.find(TENANT, id);
    expect(view?.status).toBe(code === 'resolved' ? 'denied' : 'pending');
    expect(done.payments).toEqual([]);
  });

  it('a cancel counts as a decision', async () => {
    expect(await decide(await asked({ roles: 'boss' }), ANA, { status: 'cancelled' })).toBe('PERMISSION_DENIED');
  });

  it('who decided is kept with the approval and in the audit trail, and the run belongs to its owner', async () => {
    const id = await asked({ roles: 'finance', notOwner: true });
    const { run } = await driver.server.runs.answer(TENANT, ANA, [answer(id)]);
    await driver.server.ended(run.runId);
    const decidedBy = { actor: ANA.actor, userId: 'ana', requestId: 'request-2' };
    expect(await driver.server.interrupts.find(TENANT, id)).toMatchObject({ status: 'approved', decidedBy });
    expect(run.userId).toBe('alice');
    expect(done.payments).toHaveLength(1);
    const { items } = await driver.server.get(AuditReport).page(ALICE.tenantId, { subject: id, limit: 1 });
    const { actor, requestId, onBehalfOf = '' } = items[0]?.line ?? { actor: undefined };
    expect([actor?.kind, requestId, items[0]?.users[onBehalfOf]]).toEqual([ANA.actor.kind, 'request-2', 'ana']);
    expect(items[0]).toMatchObject({ line: { action: 'approval.approved' }, content: { approve: true } });
  });

  it('without authentication nobody is recorded', async () => {
    const id = await asked(undefined, null);
    expect(await decide(id, null)).toBe('resolved');
    expect((await driver.server.interrupts.find(TENANT, id))?.decidedBy).toBeNull();
  });
});
