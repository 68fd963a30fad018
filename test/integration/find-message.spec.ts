import { SystemClock, tenantReach } from '../../src/common/index.js';
import { SqlSessions } from '../../src/agent/session/adapters/sessions.sql.js';
import { describeOnLedgers, person, userText } from '../support/ledger.js';

describeOnLedgers('finding a message by its id alone', (ledger) => {
  const sessions = (): SqlSessions => new SqlSessions(ledger().database, ledger().sessions, new SystemClock());
  const alice = person('alice');

  beforeEach(async () => {
    await sessions().create(alice, 'talk');
    await sessions().append(alice, 'talk', [userText('Hello', 'msg_found')]);
  });

  it('its tenant and its user find it', async () => {
    const found = await sessions().findMessage(tenantReach('default'), 'msg_found');
    expect(found).toMatchObject({ sessionId: 'talk', userId: 'alice', message: { id: 'msg_found', role: 'user' } });
    expect(await sessions().findMessage(alice, 'msg_found')).toEqual(found);
  });

  it('others do not find it, and an invalid id finds nothing', async () => {
    expect(await sessions().findMessage(tenantReach('other'), 'msg_found')).toBeUndefined();
    expect(await sessions().findMessage(person('bob'), 'msg_found')).toBeUndefined();
    expect(await sessions().findMessage(tenantReach('default'), 'msg_\0')).toBeUndefined();
  });

  it('the first of several copies in forks is found', async () => {
    await sessions().create(alice, 'fork');
    await sessions().append(alice, 'fork', [userText('Hello', 'msg_found')]);
    expect((await sessions().findMessage(alice, 'msg_found'))?.sessionId).toBe('talk');
  });
});
