import { Tenants } from '../../src/access/index.js';
import { SERVER_ORIGIN } from '../../src/common/index.js';
import { UserExports } from '../../src/data-protection/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { ALICE, ExportingServer, MARKER, parsed, PERSON } from '../support/exporting-server.js';
import { sent } from '../support/stored-person.js';

const MARGARET = { tenantId: 'acme', userId: PERSON };

describeOnDatabases('an export while something goes wrong', (open) => {
  const exporting = new ExportingServer();
  beforeEach(async () => {
    exporting.database = await open();
  });
  afterEach(() => exporting.close());

  /** A run of the person. */
  function say(words = MARKER): Promise<unknown> {
    const body = { model: 'worker', input: words };
    return sent(exporting.server, ALICE, { method: 'POST', path: '/v1/responses', body });
  }

  function begun(user = MARGARET): Promise<AsyncIterable<Buffer>> {
    return exporting.server.get(UserExports).begin(user, SERVER_ORIGIN);
  }

  async function textOf(pieces: AsyncIterable<Buffer>): Promise<string> {
    let text = '';
    for await (const piece of pieces) text += piece.toString();
    return text;
  }

  it('has no end when its tenant is renamed meanwhile, also if it has its id again', async () => {
    await exporting.start();
    await say();
    const tenants = exporting.server.get(Tenants);
    const first = await begun();
    await tenants.rename('acme', 'moved', SERVER_ORIGIN);
    await expect(textOf(first)).rejects.toThrow('renamed or changed meanwhile');
    await expect(begun()).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' });
    const second = await begun({ tenantId: 'moved', userId: PERSON });
    await tenants.create('acme', SERVER_ORIGIN);
    expect(parsed(await textOf(second)).end?.complete).toBe(true);
    const third = await begun({ tenantId: 'moved', userId: PERSON });
    await tenants.rename('moved', 'elsewhere', SERVER_ORIGIN);
    await tenants.rename('elsewhere', 'moved', SERVER_ORIGIN);
    await expect(textOf(third)).rejects.toThrow('renamed or changed meanwhile');
  });
});
