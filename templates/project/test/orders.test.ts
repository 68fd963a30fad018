import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { callTool, say, scriptedModel, startTestServer } from 'parley-server/testing';
import { extensions } from '../src/extensions.js';

void test('the agent looks the order up before it answers', async () => {
  const model = scriptedModel([callTool('find_order', { id: 'A-1001' }), say('It arrives on Friday.')]);
  const server = await startTestServer({ ...extensions, model });
  try {
    const run = await server.run('Where is my order A-1001?', { agent: 'orders' });
    assert.equal(run.state, 'completed');
    assert.equal(run.text, 'It arrives on Friday.');
    assert.deepEqual(
      run.toolCalls.map(({ name, output }) => ({ name, output })),
      [{ name: 'find_order', output: '{"id":"A-1001","status":"sent","arrives":"Friday"}' }],
    );
  } finally {
    await server.close();
  }
});

void test('the model is told about an order that does not exist', async () => {
  const model = scriptedModel([callTool('find_order', { id: 'Z-9999' }), say('I cannot find it.')]);
  const server = await startTestServer({ ...extensions, model });
  try {
    const run = await server.run('Where is Z-9999?', { agent: 'orders' });
    assert.match(run.toolCalls[0]?.output ?? '', /There is no order Z-9999/);
  } finally {
    await server.close();
  }
});
