import type { Chores } from '../../src/chores/index.js';
import { Clock } from '../../src/common/index.js';
import { call } from '../../src/agent/testing/scripted-model-client.js';
import { InterruptStore } from '../../src/agent/interrupt/index.js';
import { InterruptExpiry } from '../../src/agent/interrupt/interrupt-expiry.js';
import { ApprovalDriver } from '../support/approval-driver.js';
import { ALICE, codeOf, describeOnLedgers } from '../support/ledger.js';

const HOUR = 3_600_000;
/** The test calls `expireDue` itself. */
const NO_CHORES = { register: () => undefined } as unknown as Chores;

/** A clock that a test moves. */
class MovedClock extends Clock {
  constructor(public ahead = 0) {
    super();
  }

  now(): number {
    return Date.now() + this.ahead;
  }
}

describeOnLedgers('the expiry of interrupts', (ledger) => {
  const driver = new ApprovalDriver(ledger);
  const clock = new MovedClock();
  let expiry: InterruptExpiry;

  beforeEach(async () => {
    clock.ahead = 0;
    await driver.start([
      { tool: 'pay', effect: 'ask', expiresIn: '1h', when: { path: '$.amount', op: '<', value: 10 } },
      { tool: 'pay', effect: 'ask', expiresIn: '2h' },
    ]);
    driver.calls(call(0, 'pay', '{"to":"Ana","amount":5}', 'c1'), call(1, 'pay', '{"to":"Bo","amount":50}', 'c2'));
    expiry = new InterruptExpiry(driver.server.get(InterruptStore), clock, NO_CHORES);
  });
  afterEach(() => driver.server.stop());
  afterAll(() => driver.cleanUp());

  const stored = (): Promise<{ status: string; answered: number | null; resumed: number | null }[]> =>
    ledger().database.read.all(
      'SELECT status, answered_at AS answered, resumed_by_run_no AS resumed FROM interrupts ORDER BY no',
    );

  it('expired interrupts are marked once, and the others stay open', async () => {
    const run = await driver.ask();
    const before = (await driver.audit()).length;
    await expiry.expireDue();
    expect((await stored()).map(({ status }) => status)).toEqual(['pending', 'pending']);
    clock.ahead = HOUR + 60_000;
    await Promise.all([expiry.expireDue(), expiry.expireDue()]);
    await expiry.expireDue();
    expect(await stored()).toMatchObject([
      { status: 'expired', answered: expect.anything(), resumed: null },
      { status: 'pending', answered: null },
    ]);
    expect((await driver.audit()).slice(before)).toEqual(['approval.expired']);
    expect((await driver.open(run)).map(({ arguments: args }) => args)).toEqual([{ to: 'Bo', amount: 50 }]);
  });

  it('a run continues with the answers that were given in time', async () => {
    const run = await driver.ask();
    const [early, late] = await driver.open(run);
    clock.ahead = HOUR + 60_000;
    await expiry.expireDue();
    expect(await codeOf(driver.answer(early?.id ?? ''))).toBe('INTERRUPT_EXPIRED');
    const next = await driver.answer(late?.id ?? '');
    expect(next.view.state).toBe('completed');
    expect(driver.told()).toEqual(['The call was not made: it was not approved in time.', 'paid 50 to Bo']);
    expect(await driver.server.interrupts.find(ALICE, early?.id ?? '')).toMatchObject({
      status: 'expired',
      resumedByRunId: next.runId,
    });
  });
});
