import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { callTool, fail, say, scriptedModel, startTestServer } from 'parley-server/testing';
import { untilNext } from '../src/daily.js';
import { extensions } from '../src/extensions.js';
import { writeReport } from '../src/report.job.js';

const DAY = '2026-11-22';

void test('the job writes the report of a day', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reports-'));
  const model = scriptedModel([callTool('open_orders', { day: DAY }), say('2 orders are open, A-1001 is late.')]);
  const server = await startTestServer({ ...extensions, model });
  try {
    const file = await writeReport({ url: server.url, folder }, DAY);
    assert.equal(readFileSync(file, 'utf8'), '2 orders are open, A-1001 is late.\n');
    assert.match(JSON.stringify(model.requests[1]?.messages.at(-1)), /A-1001.*late.*true/);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

void test('jobs that are started for the same day share one run', async () => {
  const folders = [1, 2, 3].map(() => mkdtempSync(join(tmpdir(), 'reports-')));
  const model = scriptedModel([say('Nothing is open.')]);
  const server = await startTestServer({ ...extensions, model });
  try {
    const files = await Promise.all(folders.map((folder) => writeReport({ url: server.url, folder }, DAY)));
    for (const file of files) assert.equal(readFileSync(file, 'utf8'), 'Nothing is open.\n');
    assert.equal(model.requests.length, 1);
  } finally {
    await server.close();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
});

void test('a run that fails is reported, and no file is written', async () => {
  const server = await startTestServer({ ...extensions, model: scriptedModel([fail(new Error('no model'))]) });
  try {
    await assert.rejects(writeReport({ url: server.url, folder: 'never' }, DAY), /The report of 2026-11-22 is failed/);
  } finally {
    await server.close();
  }
});

void test('the next time of day is today or tomorrow', () => {
  const at = (time: string): number => Date.parse(`${DAY}T${time}Z`);
  assert.equal(untilNext('06:00', at('05:59:00')), 60_000);
  assert.equal(untilNext('06:00', at('06:00:00')), 24 * 60 * 60 * 1000);
  assert.equal(untilNext('06:00', at('23:00:00')), 7 * 60 * 60 * 1000);
});
