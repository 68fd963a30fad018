import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { OTHER_NODES, otherNode, withoutCompiler } from '../../scripts/lib/other-nodes.mjs';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { ServerProcess } from '../support/server-process.js';
import { type Send, WIRE_TALKS } from '../support/wire-talks.js';

const ROOT = join(__dirname, '../..');
const exec = promisify(execFile);
/** An installation on a machine that does other work. */
const INSTALLATION_MS = 600_000;

/** A fresh clone, installed and built with the newest Node.js, on a machine without a compiler of C++. */
let clone: string;

beforeAll(async () => {
  clone = mkdtempSync(join(tmpdir(), 'parley-nodes-'));
  const { stdout } = await exec('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of stdout.split('\n').filter((name) => /^(src|console|scripts)\/|^[^/]+$/.test(name))) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(ROOT, file), join(clone, file));
  }
  const node = await otherNode(OTHER_NODES[2]);
  await exec(node, ['scripts/build.mjs'], { cwd: clone, env: withoutCompiler(node) });
}, INSTALLATION_MS);

afterAll(() => rmSync(clone, { recursive: true, force: true }));

describe.each(OTHER_NODES)('on Node.js %s', (version) => {
  describeOnDatabases('a server', (open) => {
    let database: TestDatabase;
    let server: ServerProcess;

    beforeAll(async () => {
      database = await open();
      const node = await otherNode(version);
      server = await ServerProcess.start(database, {}, join(clone, 'scripts/start.mjs'), [node]);
    });
    afterAll(async () => {
      await server?.stop();
      await database?.drop();
    });

    const read = async (path: string, init?: RequestInit): Promise<string> => {
      const response = await fetch(server.url + path, init);
      const text = await response.text();
      expect({ path, status: response.status, text }).toMatchObject({ status: 200 });
      return text;
    };
    const send: Send = (path, body, headers) =>
      read(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const first = async (path: string): Promise<string> =>
      (JSON.parse(await read(path)) as { data: { id: string }[] }).data[0]?.id ?? '';

    it('answers on every wire, and has every message after kill -9', async () => {
      const talks = Object.values(WIRE_TALKS).map((start) => start(send, first));
      for (const talk of talks) await talk.say('Say hello to the lighthouse');
      await server.kill();
      await server.restart();
      for (const talk of talks) {
        await talk.say('And to the harbour');
        for (const { path } of talk.shownAt.filter(({ path }) => path.startsWith('/api/v1/sessions/'))) {
          const messages = await read(path);
          expect([/lighthouse/.test(messages), /harbour/.test(messages)]).toEqual([true, true]);
        }
      }
    });

    it('has its console, and nothing on this Node.js is deprecated', async () => {
      const page = await read('/console/');
      const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(page)?.[1];
      expect(await read(`/console/${script}`)).toContain('createElement');
      expect(server.output).not.toMatch(/deprecat|end of life|experimental/i);
    });
  });
});
