import {
  framed,
  openStream,
  responseEvents,
  stream,
  UpstreamDouble,
} from '../../src/agent/adapters/testing/responses-double.js';
import { seriousFindings } from '../support/axe.js';
import { describeInBrowser } from '../support/browser.js';
import { apiKey, bearer } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';

describeInBrowser('the page of remote agents', (browser) => {
  let upstream: UpstreamDouble;
  let server: TestServer;

  beforeAll(async () => {
    const events = responseEvents('resp_1', [['Hello ', 'there.']]);
    upstream = await UpstreamDouble.start((response, { method, path, body }) => {
      if (method === 'HEAD') response.writeHead(401).end();
      // The first connection of an answer breaks behind its first event.
      else if (method === 'POST' && body['model'] === 'cut') {
        openStream(response);
        response.write(framed(events.slice(0, 1)), () => setImmediate(() => response.destroy()));
      } else if (method === 'GET') stream(response, events.slice(Number(/after=(\d+)/.exec(path)?.[1] ?? 0) + 1));
      else openStream(response);
    });
    const headers = { authorization: 'Bearer sesame-of-the-server' };
    const agents = {
      travel: {
        type: 'responses',
        url: `${upstream.url}?key=sesame`,
        model: 'cut',
        headers,
        required: true,
        description: 'Plans journeys.',
      },
      busy: { type: 'responses', url: upstream.url, background: false, exposure: 'internal' },
      gone: { type: 'ag-ui', url: 'http://127.0.0.1:9/agent', onDoubt: 'resend' },
    };
    server = await startServer({ env: { AUTH: 'keys', REMOTE_AGENTS: JSON.stringify({ agents }) } });
  });
  afterEach(() => browser.problems.splice(0));
  afterAll(async () => {
    await server.close();
    await upstream.close();
  });

  const signedIn = async (scopes: string[]) => {
    const page = await browser.page(`${server.url}/console/#/remote-agents`);
    await page.getByLabel('API key or token').fill(await apiKey(server, { scopes }));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    return page;
  };

  it('shows for each agent where it is and how it is, without secrets', async () => {
    const key = await apiKey(server, { scopes: ['runs:write', 'agents:busy', 'agents:travel', 'agents:gone'] });
    const ask = async (model: string, background = false): Promise<void> => {
      const headers = { ...bearer(key), 'content-type': 'application/json' };
      const body = JSON.stringify({ model, input: 'hi', background });
      const answer = await fetch(`${server.url}/v1/responses`, { method: 'POST', headers, body });
      expect([model, answer.ok]).toEqual([model, true]);
    };
    await ask('travel');
    await ask('gone');
    await ask('busy', true);
    const page = await signedIn(['runs:read', 'ops:read']);
    const travel = page.getByRole('region', { name: 'travel' });
    await travel.getByText('Connected', { exact: true }).waitFor();
    await travel.getByText('required', { exact: true }).waitFor();
    await travel.getByText('Plans journeys.').waitFor();
    await travel.getByText(`${upstream.url}/`, { exact: true }).waitFor();
    const fact = (name: string, title: string): Promise<string | null> =>
      page.getByRole('region', { name }).locator('dl > div', { hasText: title }).locator('dd').textContent();
    expect(await fact('travel', 'Protocol')).toBe('responses');
    expect(await fact('travel', 'Re-attachments')).toBe('1');
    expect(await fact('travel', 'Exchanges in progress')).toBe('0');
    expect(await fact('travel', 'After a lost')).toBe('Continues where it stopped');
    await travel.getByText('No exchange has failed').waitFor();
    expect(await fact('busy', 'Exchanges in progress')).toBe('1');
    expect(await fact('busy', 'After a lost')).toBe('Fails');
    expect(await fact('busy', 'Exposure')).toBe('internal');
    const gone = page.getByRole('region', { name: 'gone' });
    await gone.getByText('Not reachable', { exact: true }).waitFor();
    const failure = gone.getByRole('region', { name: 'Last failure' });
    await failure.getByText('UPSTREAM_UNAVAILABLE', { exact: true }).waitFor();
    expect(await fact('gone', 'After a lost')).toBe('Begins again');
    expect(await gone.getByRole('link', { name: 'Runs of gone' }).getAttribute('href')).toContain('agent=gone');
    expect(await page.content()).not.toContain('sesame');
    expect(await seriousFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 380, height: 760 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
    // The page asks who it is before anybody has signed in.
    expect(browser.problems.filter((problem) => !problem.includes('401'))).toEqual([]);
    await page.context().close();
  });

  it('is for operators: others neither see it nor read its route', async () => {
    const reader = await signedIn(['runs:read']);
    await reader.getByText('The scope ops:read is required').waitFor();
    expect(await reader.getByRole('link', { name: 'Remote agents' }).count()).toBe(0);
    await reader.context().close();
    const key = await apiKey(server, { scopes: ['runs:read'] });
    const answer = await fetch(`${server.url}/api/v1/remote-agents`, { headers: bearer(key) });
    expect(answer.status).toBe(403);
    const watcher = await signedIn(['runs:read', 'ops:read']);
    await watcher.getByRole('link', { name: 'Remote agents' }).waitFor();
    await watcher.context().close();
  });
});
