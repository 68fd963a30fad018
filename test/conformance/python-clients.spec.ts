import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { ServerProcess } from '../support/server-process.js';

const PYTHON = process.env.PARLEY_PYTHON ?? '/usr/bin/python3';
const hasAiohttp = spawnSync(PYTHON, ['-c', 'import aiohttp']).status === 0;
const title = 'the Python clients of the documentation';
const run = promisify(execFile);

(hasAiohttp ? describe : describe.skip)(
  hasAiohttp ? title : `${title} (skipped: ${PYTHON} cannot import aiohttp)`,
  () => {
    let database: TestDatabase;
    let server: ServerProcess;

    beforeAll(async () => {
      database = await sqliteDatabase();
      server = await ServerProcess.start(database);
    });

    afterAll(async () => {
      await server.stop();
      await database.drop();
    });

    async function python(script: string, ...args: readonly string[]): Promise<string> {
      const { stdout } = await run(PYTHON, [join(__dirname, script), `${server.url}/process`, ...args], {
        timeout: 20_000,
      });
      return stdout.trim();
    }

    it.each([
      ['Who are you?', /Friday/],
      ['What is the capital of France?', /Paris/],
      ['repeat 200 words', /^word1 .* word200$/],
    ])('the client with one question gets an answer: %s', async (question, answer) => {
      expect(await python('single_question.py', question)).toMatch(answer);
    });

    it('the client with two turns gets the name of the first turn in the second', async () => {
      expect(await python('alice.py')).toBe('found');
    });
  },
);
