import { call } from '../../src/agent/testing/scripted-model-client.js';
import { type Requester, tenantReach } from '../../src/common/index.js';
import { ToolRegistry } from '../../src/agent/tools/index.js';
import { ApprovalDriver, outputs, outputTexts, shapes } from '../support/approval-driver.js';
import { codeOf, describeOnLedgers } from '../support/ledger.js';
import { ScriptedMcp } from '../support/mcp-servers.js';
import { done } from '../support/sample-tools.js';
import { until } from '../support/until.js';

const TENANT = tenantReach('default');
const ALICE: Requester = {
  actor: { kind: 'user', id: 'alice' },
  agents: [],
  tools: [],
  models: [],
  roles: ['user'],
  userId: 'alice',
  requestId: 'request-1',
  canDecide: true,
  canWrite: true,
};
const FAY: Requester = { ...ALICE, actor: { kind: 'user', id: 'fay' }, userId: 'fay', roles: ['finance'] };

const LARGE = {
  tool: 'pay',
  effect: 'ask',
  when: { path: '$.amount', op: '>', value: 100 },
  approvers: { roles: 'finance', notOwner: true },
};
const ANY = { tool: 'pay', effect: 'ask', allowEdit: true };
const PAY = '{"to":"Ana","amount":50}';

describeOnLedgers('an approval', (ledger) => {
  const driver = new ApprovalDriver(ledger);
  afterEach(() => driver.server.stop());
  afterAll(() => driver.cleanUp());

  /** The id of the approval that a payment of 50 waits for. */
  async function asked(rules: object[], requester: Requester | null = ALICE): Promise<string> {
    await driver.start(rules);
    driver.calls(call(0, 'pay', PAY, 'c1'));
    return (await driver.onlyOpen(await driver.ask({ requester }))).id;
  }

  const decide = (interruptId: string, by: Requester | null, amount?: number) =>
    driver.server.runs.answer(TENANT, by, [
      {
        interruptId,
        status: 'resolved',
        approve: true,
        ...(amount !== undefined && { editedArguments: { to: 'Ana', amount } }),
      },
    ]);

  const forget = (id: string): Promise<unknown> =>
    ledger().database.write((tx) => tx.run('UPDATE interrupts SET binding = NULL WHERE id = ?', [id]));

  describe('holds under the rule that asked', () => {
    it.each([
      ['the owner', ALICE],
      ['somebody whom the other rule names, who decides what was asked and no more', FAY],
      ['nobody who is authenticated', null],
    ])('and not for edited arguments about which another rule asks: %s', async (_, by) => {
      const id = await asked([LARGE, ANY], by && ALICE);
      expect(await codeOf(decide(id, by, 5000))).toBe('PERMISSION_DENIED');
      expect(done.payments).toEqual([]);
      expect((await driver.server.interrupts.find(TENANT, id))?.status).toBe('pending');
      await driver.server.ended((await decide(id, by, 60)).run.runId);
      expect(done.payments).toEqual([{ to: 'Ana', amount: 60 }]);
    });

    it('and not for arguments about which the default policy asks', async () => {
      const id = await asked([{ ...ANY, when: { path: '$.amount', op: '<', value: 100 } }]);
      expect(await codeOf(decide(id, ALICE, 5000))).toBe('PERMISSION_DENIED');
      expect(done.payments).toEqual([]);
    });

    it('and is not needed for edited arguments that the policy allows', async () => {
      const id = await asked([{ tool: 'pay', effect: 'allow', when: { path: '$.amount', op: '<', value: 10 } }, ANY]);
      await driver.server.ended((await decide(id, ALICE, 5)).run.runId);
      expect(done.payments).toEqual([{ to: 'Ana', amount: 5 }]);
    });

    it('and lets the call be asked about anew if the policy has changed, until whoever may decide does', async () => {
      const id = await asked([ANY]);
      await driver.server.stop();
      await driver.start([{ ...LARGE, when: { path: '$.amount', op: '>', value: 10 } }, ANY]);
      driver.calls(call(0, 'pay', PAY, 'c1'));
      const again = await driver.server.ended((await decide(id, ALICE)).run.runId);
      expect(again.view.state).toBe('interrupted');
      expect(shapes(again)).toEqual(['assistant:mcp_approval_request']);
      expect(done.payments).toEqual([]);
      const next = await driver.onlyOpen(again);
      expect(next).toMatchObject({ callId: 'c1', approvers: { roles: ['finance'], notOwner: true } });
      expect(next.id).not.toBe(id);
      expect(await codeOf(decide(next.id, ALICE))).toBe('PERMISSION_DENIED');
      const last = await driver.server.ended((await decide(next.id, FAY)).run.runId);
      expect(last.view.state).toBe('completed');
      expect(done.payments).toEqual([{ to: 'Ana', amount: 50 }]);
      expect(driver.told()).toEqual(['paid 50 to Ana']);
    });

    it('also if the rule has another position or reason now', async () => {
      const id = await asked([LARGE, ANY]);
      await driver.server.stop();
      await driver.start([{ tool: 'other', effect: 'deny' }, LARGE, { ...ANY, reason: 'Money leaves.' }]);
      driver.calls(call(0, 'pay', PAY, 'c1'));
      await driver.server.ended((await decide(id, ALICE, 60)).run.runId);
      expect(done.payments).toEqual([{ to: 'Ana', amount: 60 }]);
    });

    it('and where an earlier version has kept no rule, for what the person may decide', async () => {
      const id = await asked([LARGE, ANY]);
      await forget(id);
      expect(await codeOf(decide(id, ALICE, 5000))).toBe('PERMISSION_DENIED');
      await driver.server.ended((await decide(id, ALICE, 60)).run.runId);
      expect(done.payments).toEqual([{ to: 'Ana', amount: 60 }]);
    });
  });

  describe('is bound to a tool of one MCP server', () => {
    const SCHEMA = { type: 'object', properties: { to: { type: 'string' }, amount: { type: 'number' } } };
    const [bank, other] = [new ScriptedMcp(), new ScriptedMcp()];

    beforeEach(async () => {
      for (const server of [bank, other]) {
        server.tools = [{ name: 'pay', inputSchema: SCHEMA }];
        server.calls.length = 0;
        await server.start();
      }
    });
    afterEach(() => Promise.all([bank.stop(), other.stop()]));

    /** The id of the approval of a payment by `bank`. */
    async function askedOfBank(name = 'pay'): Promise<string> {
      const servers = { bank: { url: bank.url }, other: { url: other.url } };
      const env = { MCP_LIST_WAIT_MS: '20000', MCP_SERVERS: JSON.stringify(servers) };
      await driver.start([{ ...ANY, tool: 'pay*' }], env, []);
      driver.calls(call(0, name, PAY, 'c1'));
      const open = await driver.onlyOpen(await driver.ask({ requester: ALICE }));
      expect(open.serverLabel).toBe('bank');
      return open.id;
    }

    const originOf = async (name = 'pay'): Promise<unknown> =>
      (await driver.server.get(ToolRegistry).find(name))?.origin;

    async function expectNotMade(id: string): Promise<void> {
      const run = await driver.server.ended((await decide(id, ALICE)).run.runId);
      expect(run.view.state).toBe('completed');
      expect(outputs(run)).toMatchObject([{ type: 'mcp_call_output', metadata: { is_error: true } }]);
      expect(outputTexts(run)).toEqual([expect.stringContaining('is not available')]);
      expect([bank.calls, other.calls]).toEqual([[], []]);
    }

    it.each([['a binding'], ['the label alone, which is all that an earlier version has kept']])(
      'an approved call does not go to another server that has a tool of the same name: %s',
      async (kept) => {
        const id = await askedOfBank();
        if (kept !== 'a binding') await forget(id);
        await bank.stop();
        await until(async () => expect(await originOf()).toMatchObject({ serverLabel: 'other' }));
        expect(await codeOf(decide(id, ALICE, 60))).toBe('INVALID_PARAMETER');
        await expectNotMade(id);
      },
    );

    it('an approved call is not made if the tool has another schema now', async () => {
      const id = await askedOfBank();
      await bank.change([{ name: 'pay', inputSchema: { ...SCHEMA, properties: { iban: { type: 'string' } } } }]);
      await until(async () =>
        expect((await driver.server.get(ToolRegistry).find('pay'))?.parameters).toHaveProperty('properties.iban'),
      );
      await expectNotMade(id);
    });

    it('an approved call does not go to another tool of the server that is offered under the same name', async () => {
      bank.tools = [{ name: 'pay!', inputSchema: SCHEMA }];
      other.tools = [];
      const id = await askedOfBank('pay_');
      await bank.change([{ name: 'pay?', inputSchema: SCHEMA }]);
      await until(async () => expect(await originOf('pay_')).toMatchObject({ toolName: 'pay?' }));
      await expectNotMade(id);
    });

    it('an approved call is made once the server is back', async () => {
      const id = await askedOfBank();
      await bank.stop();
      await until(async () => expect(await originOf()).toMatchObject({ serverLabel: 'other' }));
      await bank.start();
      await until(async () => expect(await originOf()).toMatchObject({ serverLabel: 'bank' }));
      await driver.server.ended((await decide(id, ALICE)).run.runId);
      expect(bank.calls).toMatchObject([{ name: 'pay', args: { to: 'Ana', amount: 50 } }]);
      expect(other.calls).toEqual([]);
    });
  });
});
