import { get, type IncomingHttpHeaders } from 'node:http';
import { startServer, type TestServer } from '../support/server.js';

/** What the console may weigh when it is opened for the first time. */
const FIRST_LOAD_BYTES = 300_000;

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request without the comforts of `fetch`: redirects are not followed, and bodies stay compressed. */
function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(pieces) }),
      );
    }).on('error', reject);
  });
}

describe('the files of the console', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ env: { AUTH: 'keys' } });
  });
  afterAll(() => server.close());

  const files = async (): Promise<string[]> => {
    const page = (await ask(`${server.url}/console/`)).body.toString();
    return [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path]) => path as string);
  };

  it('a browser that opens / is sent to the console; other clients get the description of the server', async () => {
    const browser = await ask(`${server.url}/`, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect(browser).toMatchObject({ status: 302, headers: { location: 'console/', vary: 'accept' } });
    const head = await fetch(`${server.url}/`, {
      method: 'HEAD',
      headers: { accept: 'text/html' },
      redirect: 'manual',
    });
    expect([head.status, head.headers.get('vary')]).toEqual([302, 'accept']);
    const program = await ask(`${server.url}/`, { accept: '*/*' });
    expect(JSON.parse(program.body.toString())).toMatchObject({ service: 'Parley' });
    expect(await ask(`${server.url}/console`)).toMatchObject({ status: 308, headers: { location: 'console/' } });
  });

  it('what is sent to other origins depends on the origin, beside all else', async () => {
    const origin = 'http://localhost:3000';
    const file = (await files())[0] as string;
    const open = await startServer();
    for (const [path, field] of [
      ['/', 'accept'],
      ['/console/', 'accept-encoding'],
      [`/console/${file}`, 'accept-encoding'],
    ]) {
      const { headers } = await ask(`${open.url}${path}`, { origin });
      expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: `Origin, ${field}` });
    }
    await open.close();
  });

  it('the page is public, is checked for a new version, and may load nothing but its own files', async () => {
    const { status, headers, body } = await ask(`${server.url}/console/`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': expect.stringContaining('text/html'),
      'cache-control': 'no-cache',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';style-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toContain('http');
    expect(body.toString()).not.toMatch(/<style|<script>|https?:\/\//);
  });

  it('assets never change under their name, so browsers keep them', async () => {
    const paths = await files();
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) {
      const { status, headers } = await ask(`${server.url}/console/${path}`);
      expect([path, status, headers['cache-control']]).toEqual([path, 200, 'public, max-age=31536000, immutable']);
    }
  });

  it('the first load is below 300 KB compressed', async () => {
    const paths = ['', ...(await files())];
    const answers = await Promise.all(
      paths.map((path) => ask(`${server.url}/console/${path}`, { 'accept-encoding': 'br, gzip' })),
    );
    expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual(paths.map(() => 'br'));
    expect(answers.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThan(FIRST_LOAD_BYTES);
  });

  it('files outside the folder are not served', async () => {
    for (const path of ['../package.json', '..%2fpackage.json', 'assets/../../.build.json', 'missing.js']) {
      expect((await ask(`${server.url}/console/${path}`)).status).not.toBe(200);
    }
  });

  it('an address below /console/ is that of a page; programs get no page for a missing file', async () => {
    const accept = 'text/html,*/*;q=0.8';
    for (const [path, location] of [
      ['runs', './#/runs'],
      ['runs/', '../#/runs/'],
      ['runs/r%201?tab=events', '../#/runs/r%201?tab=events'],
      ['nowhere', './#/nowhere'],
    ]) {
      const { status, headers } = await ask(`${server.url}/console/${path}`, { accept });
      expect([path, status, headers.location]).toEqual([path, 302, location]);
    }
    expect((await ask(`${server.url}/console/runs`, { accept: '*/*' })).status).toBe(404);
    expect((await ask(`${server.url}/console/assets/missing.js`, { accept })).status).toBe(404);
  });

  it('CONSOLE=off serves none of it', async () => {
    const without = await startServer({ env: { CONSOLE: 'off' } });
    expect((await ask(`${without.url}/console/`)).status).toBe(404);
    expect((await ask(`${without.url}/`, { accept: 'text/html' })).status).toBe(200);
    await without.close();
  });
});
