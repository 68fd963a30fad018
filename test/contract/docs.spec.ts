import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startServer, type TestServer } from '../support/server.js';
import { ShoutAgent } from '../examples/shout.agent.js';
import { DiceTool } from '../examples/dice.tool.js';

const run = promisify(execFile);
const root = join(__dirname, '../..');
const pages = ['README.md', ...markdownIn('docs')];

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .sort();
}

function blocks(page: string, language: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    (match) => match[1] ?? '',
  );
}

describe('the documentation', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ providers: [ShoutAgent, DiceTool] });
  });
  afterAll(() => server.close());

  const commands = pages.flatMap((page) =>
    ['sh', 'bash'].flatMap((language) =>
      blocks(page, language)
        .filter((block) => block.trimStart().startsWith('curl'))
        .map((block): [string, string] => [page, block.trim()]),
    ),
  );

  it.each(commands)('the command of %s works: %s', async (_page, command) => {
    const here = command
      .replaceAll('http://127.0.0.1:8090', server.url)
      .replaceAll('http://localhost:8090', server.url);
    const { stdout } = await run('bash', [
      '-c',
      here.replace(/^curl /, 'curl --fail-with-body --silent --show-error --max-time 20 '),
    ]);
    expect(stdout).not.toBe('');
    expect(stdout).not.toContain('"status":"failed"');
  });

  it('a refusal is shown by every curl command, or its status is', () => {
    const silent = [...pages, ...markdownIn('examples'), ...markdownIn('templates')].flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/^.*\bcurl (?:-|'|"|http).*$/gm)]
        .map(([line]) => `${page}: ${line}`)
        .filter((line) => !/--fail-with-body|-w '%\{http_code\}/.test(line)),
    );
    expect(silent).toEqual([]);
  });

  it('example files are quoted unchanged', () => {
    const shown = pages.flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8');
      return [...text.matchAll(/<!-- file: (\S+) -->\n\n```ts\n([\s\S]*?)```/g)];
    });
    expect(shown.length).toBeGreaterThan(0);
    for (const [, file, text] of shown) expect(text).toBe(readFileSync(join(root, file ?? ''), 'utf8'));
  });

  it('the example agent works', async () => {
    const shouting = await startServer({ env: { DEFAULT_AGENT: 'shout' }, providers: [ShoutAgent] });
    const body = { stream: false, input: [{ role: 'user', content: [{ type: 'text', text: 'hello there' }] }] };
    const answer = await fetch(`${shouting.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const response = (await answer.json()) as { output: { content: { text: string }[] }[] };
    await shouting.close();
    expect(response.output[0]?.content[0]?.text).toBe('HELLO THERE ');
  });
});
