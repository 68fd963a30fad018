import { strict as assert } from 'node:assert';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { callTool, fail, say, scriptedModel, startTestServer, type TestServer } from 'parley-server/testing';
import { extensions } from '../src/extensions.js';
import { Reports } from '../src/reports.js';

/** The id is made of the names of the agent and of its schedule, so it is the same in every installation. */
const SCHEDULE = '/api/v1/schedules/sch_94a56ec96b0ecc5d2dca45de88039ab3';
const today = (): string => new Date().toISOString().slice(0, 10);

interface Schedule {
  readonly cron: string;
  readonly enabled: boolean;
  readonly nextAt: string;
}

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reports-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Runs {
  readonly data: readonly { readonly id: string; readonly status: string; readonly finishedAt: string | null }[];
}

async function read<T>({ url }: TestServer, path = ''): Promise<T> {
  return (await (await fetch(`${url}${SCHEDULE}${path}`)).json()) as T;
}

/** Runs the schedule now and returns the status of its run once it has ended. */
async function runNow(server: TestServer): Promise<string> {
  const answer = await fetch(`${server.url}${SCHEDULE}/run`, { method: 'POST' });
  assert.equal(answer.status, 202);
  const { runId } = (await answer.json()) as { runId: string };
  for (;;) {
    const { data } = await read<Runs>(server, '/runs');
    const run = data.find(({ id }) => id === runId);
    if (run?.finishedAt) return run.status;
    await delay(20);
  }
}

void test('the agent has a schedule, and its run writes the report of the day', async () => {
  await withFolder(async (folder) => {
    const model = scriptedModel([callTool('open_orders', { day: today() }), say('2 orders are open, A-1001 is late.')]);
    const server = await startTestServer({ ...extensions(folder), model });
    try {
      const { cron, enabled, nextAt } = await read<Schedule>(server);
      assert.deepEqual([cron, enabled, Date.parse(nextAt) > Date.now()], ['0 6 * * *', true, true]);
      assert.equal(await runNow(server), 'completed');
      assert.deepEqual(readdirSync(folder), [`${today()}.md`]);
      assert.equal(readFileSync(join(folder, `${today()}.md`), 'utf8'), '2 orders are open, A-1001 is late.\n');
      assert.match(JSON.stringify(model.requests[1]?.messages.at(-1)), /A-1001.*late.*true/);
    } finally {
      await server.close();
    }
  });
});

void test('a run that fails writes no file', async () => {
  await withFolder(async (folder) => {
    const server = await startTestServer({
      ...extensions(folder),
      model: scriptedModel([fail(new Error('no model'))]),
    });
    try {
      assert.equal(await runNow(server), 'failed');
      assert.deepEqual(readdirSync(folder), []);
    } finally {
      await server.close();
    }
  });
});

void test('a report that is written twice is one file', async () => {
  await withFolder(async (folder) => {
    const reports = new Reports(join(folder, 'new'));
    const files = ['first', 'second'].map((text) => reports.save('2026-11-22', text));
    assert.equal(files[0], files[1]);
    assert.equal(readFileSync(files[0] ?? '', 'utf8'), 'second\n');
    assert.equal(existsSync(`${files[0]}.new`), false);
  });
});
