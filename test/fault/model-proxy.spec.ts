import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { begin, end } from '../../src/agent/adapters/testing/raw-upstream.js';
import { smallProxy, type SmallProxy } from '../../src/agent/adapters/testing/small-proxy.js';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { answerText, ProcessClient } from '../support/process-client.js';
import { selfSigned } from '../support/self-signed.js';
import { ServerProcess } from '../support/server-process.js';

describe('a server behind a proxy', () => {
  let database: TestDatabase;
  let proxy: SmallProxy;
  let model: Server;
  let target: string;
  let server: ServerProcess | undefined;

  beforeAll(async () => {
    database = await sqliteDatabase();
    proxy = await smallProxy();
    const identity = selfSigned('model.test');
    await writeFile(join(database.env.DATA_DIR, 'authority.pem'), identity.cert);
    model = createServer(identity, (incoming, response) => {
      incoming.resume().on('end', () => {
        begin(response, { content: `${incoming.headers.host} answers` });
        end(response);
      });
    }).listen(0, '127.0.0.1');
    await once(model, 'listening');
    target = `model.test:${(model.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await server?.stop();
    proxy.asked.length = 0;
  });
  afterAll(async () => {
    model.closeAllConnections();
    model.close();
    await proxy.close();
    await database.drop();
  });

  const start = async (env: Record<string, string>): Promise<ServerProcess> =>
    (server = await ServerProcess.start(database, { LLM_BASE_URL: `https://${target}/v1`, LLM_MODEL: 'm', ...env }));

  it('an https:// model server is reached by a tunnel and verified by NODE_EXTRA_CA_CERTS', async () => {
    const { url } = await start({
      HTTPS_PROXY: `user@${proxy.address}`,
      NODE_EXTRA_CA_CERTS: join(database.env.DATA_DIR, 'authority.pem'),
    });
    const client = new ProcessClient(url);
    for (let call = 0; call < 2; call += 1) {
      const answer = await client.ask('hello', { session_id: 'proxied' });
      expect(answerText(answer.last)).toBe(`${target} answers`);
    }
    const authorization = `Basic ${Buffer.from('user:').toString('base64')}`;
    expect(proxy.asked[0]).toEqual({ method: 'CONNECT', target, authorization, host: target });
    expect(proxy.asked.length).toBeLessThanOrEqual(2);
  });

  it('a model server whose certificate is not trusted is refused', async () => {
    const { url } = await start({ HTTPS_PROXY: `http://${proxy.address}` });
    const answer = await new ProcessClient(url).ask('hello', { session_id: 'untrusted' });
    expect(answer.last).toMatchObject({ status: 'failed', error: { code: 'MODEL_EXECUTION_FAILED' } });
  });

  it('the server does not start with a proxy that it cannot use', async () => {
    await expect(start({ ALL_PROXY: 'socks4://127.0.0.1:1080' })).rejects.toThrow(
      'ALL_PROXY must be the address of an HTTP proxy, such as http://proxy.example:3128, but is a text of 23 characters that begins with socks4://',
    );
    await start({ ALL_PROXY: 'socks4://127.0.0.1:1080', NO_PROXY: 'model.test' });
  });
});
