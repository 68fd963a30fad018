import { askTwice } from '../../examples/responses-client.js';
import { bootApp, type TestApp } from '../../support/test-app.js';

describe('the client that the documentation shows', () => {
  let server: TestApp;
  beforeAll(async () => (server = await bootApp()));
  afterAll(() => server.close());

  it.each(['/v1', '/compatible-mode/v1'])('works under %s', async (prefix) => {
    expect(await askTwice(server.url + prefix)).toContain('Alice');
  });
});
