import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { callTool, say, scriptedModel, startTestServer, type TestServer } from 'parley-server/testing';
import { extensions } from '../src/extensions.js';
import { Payments } from '../src/payments.js';

/** Runs a test with a server whose model asks for one refund. */
async function withRefund(check: (server: TestServer, payments: Payments) => Promise<void>): Promise<void> {
  const model = scriptedModel([callTool('refund', { order: 'A-1001', amount: 80 }), say('Done.')]);
  const server = await startTestServer({ ...extensions, model });
  try {
    await check(server, server.app.get(Payments));
  } finally {
    await server.close();
  }
}

void test('a refund waits for an approval, and is paid once', () =>
  withRefund(async (server, payments) => {
    const asked = await server.run('Refund 80 euros for A-1001', { agent: 'shop' });
    assert.equal(asked.approvals[0]?.toolName, 'refund');
    assert.deepEqual(payments.made, []);
    assert.equal((await asked.approve()).text, 'Done.');
    assert.deepEqual(payments.made, [{ order: 'A-1001', amount: 80 }]);
  }));

void test('a denied refund is not paid', () =>
  withRefund(async (server, payments) => {
    const asked = await server.run('Refund 80 euros for A-1001', { agent: 'shop' });
    await asked.deny('The order was never paid.');
    assert.deepEqual(payments.made, []);
  }));

void test('a page gets the answer in the protocol of the AI SDK, and its own tool is called in it', async () => {
  const model = scriptedModel([callTool('set_theme', { theme: 'dark' }), say('The page is dark now.')]);
  const server = await startTestServer({ ...extensions, model, settings: { DEFAULT_AGENT: 'shop' } });
  const post = async (message: object): Promise<string> => {
    const body = { id: 'c1', message, tools: { set_theme: { inputSchema: { type: 'object' } } } };
    const answer = await fetch(`${server.url}/ai-sdk`, { method: 'POST', headers, body: JSON.stringify(body) });
    return answer.text();
  };
  const headers = { 'content-type': 'application/json' };
  try {
    const asked = await post({ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Dark, please' }] });
    const [, toolCallId] = /"tool-input-available","toolCallId":"([^"]+)","toolName":"set_theme"/.exec(asked) ?? [];
    const part = { type: 'tool-set_theme', toolCallId, state: 'output-available', input: {}, output: 'done' };
    const answered = await post({ id: 'a1', role: 'assistant', parts: [part] });
    assert.match(answered, /The page is dark now/);
    assert.match(answered, /"finishReason":"stop"/);
  } finally {
    await server.close();
  }
});
