import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { callTool, say, scriptedModel, startTestServer, type TestServer } from 'parley-server/testing';
import { extensions } from '../src/extensions.js';
import { Payments } from '../src/payments.js';

/** Runs a test with a server whose model asks for one refund. */
async function withRefund(
  amount: number,
  check: (server: TestServer, payments: Payments) => Promise<void>,
): Promise<void> {
  const model = scriptedModel([callTool('refund', { order: 'A-1001', amount }), say('Done.')]);
  const server = await startTestServer({ ...extensions, model, settings: { TOOL_POLICY_FILE: 'policy.json' } });
  try {
    await check(server, server.app.get(Payments));
  } finally {
    await server.close();
  }
}

void test('a small refund is paid at once', () =>
  withRefund(50, async (server, payments) => {
    const run = await server.run('Refund 50 euros for A-1001', { agent: 'refunds' });
    assert.equal(run.state, 'completed');
    assert.deepEqual(payments.made, [{ order: 'A-1001', amount: 50 }]);
  }));

void test('a larger refund waits for an approval, and is paid once', () =>
  withRefund(200, async (server, payments) => {
    const asked = await server.run('Refund 200 euros for A-1001', { agent: 'refunds' });
    assert.equal(asked.state, 'interrupted');
    assert.deepEqual(
      asked.approvals.map(({ toolName, arguments: args }) => ({ toolName, args })),
      [{ toolName: 'refund', args: { order: 'A-1001', amount: 200 } }],
    );
    assert.deepEqual(payments.made, []);

    const run = await asked.approve();
    assert.equal(run.text, 'Done.');
    assert.deepEqual(payments.made, [{ order: 'A-1001', amount: 200 }]);
  }));

void test('whoever approves may lower the amount', () =>
  withRefund(200, async (server, payments) => {
    const asked = await server.run('Refund 200 euros for A-1001', { agent: 'refunds' });
    await asked.approve({ order: 'A-1001', amount: 120 });
    assert.deepEqual(payments.made, [{ order: 'A-1001', amount: 120 }]);
  }));

void test('a denied refund is not paid, and the model is told why', () =>
  withRefund(200, async (server, payments) => {
    const asked = await server.run('Refund 200 euros for A-1001', { agent: 'refunds' });
    const run = await asked.deny('The order was never paid.');
    assert.match(JSON.stringify(run.messages), /The order was never paid/);
    assert.deepEqual(payments.made, []);
  }));

void test('a refund above the limit is refused without asking', () =>
  withRefund(2000, async (server, payments) => {
    const run = await server.run('Refund 2000 euros for A-1001', { agent: 'refunds' });
    assert.equal(run.state, 'completed');
    assert.match(run.toolCalls[0]?.output ?? '', /accounting department/);
    assert.deepEqual(payments.made, []);
  }));
