import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { recordedModel, startTestServer } from 'parley-server/testing';
import { extensions } from '../src/extensions.js';

void test('the answer names the amount and the file', async () => {
  const model = recordedModel('test/recordings/handbook.jsonl');
  const server = await startTestServer({ ...extensions, model });
  try {
    const run = await server.run('How much may a hotel cost?', { agent: 'handbook' });
    assert.equal(run.toolCalls[0]?.name, 'search_handbook');
    assert.match(run.text, /140/);
    assert.match(run.text, /travel\.md/);
  } finally {
    await server.close();
  }
});
