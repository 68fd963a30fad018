import { askTwice } from '../../examples/responses-client.js';
import { startServer, type TestServer } from '../../support/server.js';

describe('the Responses client of the documentation', () => {
  let server: TestServer;
  beforeAll(async () => (server = await startServer()));
  afterAll(() => server.close());

  it.each(['/v1', '/compatible-mode/v1'])('it works under %s', async (prefix) => {
    expect(await askTwice(server.url + prefix)).toContain('Alice');
  });
});
