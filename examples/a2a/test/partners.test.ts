import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { callTool, say, scriptedModel, startTestServer, type TestServer } from 'parley-server/testing';
import { shop, warehouse } from '../src/extensions.js';
import { Stock } from '../src/stock.js';

const servers: TestServer[] = [];
after(() => Promise.all(servers.map((server) => server.close())));

type Model = ReturnType<typeof scriptedModel>;

/** Starts the server of one company. @param partner the address of the other one, if it is to be asked */
async function start(name: 'shop' | 'warehouse', model: Model, partner = 'http://127.0.0.1:1'): Promise<TestServer> {
  const remotes = readFileSync(`${name}.json`, 'utf8').replace(/\$\{[^}]*\}/, `${partner}/a2a`);
  const settings = { DEFAULT_AGENT: name, REMOTE_AGENTS: remotes };
  const server = await startTestServer({ ...(name === 'shop' ? shop : warehouse), model, settings });
  servers.push(server);
  return server;
}

void test('the shop asks the warehouse', async () => {
  const theirs = await start('warehouse', scriptedModel([callTool('stock', {}), say('There are 12 lamps.')]));
  const ours = await start('shop', scriptedModel([]), theirs.url);
  const run = await ours.run('How many lamps are in stock?');
  assert.equal(run.text, 'There are 12 lamps.');
});

void test('the warehouse asks the shop', async () => {
  const model = scriptedModel([callTool('order_status', { order: 'A-1001' }), say('Three lamps for Dana.')]);
  const theirs = await start('shop', model);
  const ours = await start('warehouse', scriptedModel([]), theirs.url);
  const run = await ours.run('What is in order A-1001?');
  assert.equal(run.text, 'Three lamps for Dana.');
});

void test('what the warehouse wants to do is approved at the shop, and done once', async () => {
  const model = scriptedModel([callTool('reserve', { article: 'lamps', quantity: 3 }), say('Reserved.')]);
  const theirs = await start('warehouse', model);
  const ours = await start('shop', scriptedModel([]), theirs.url);
  const stock = theirs.app.get(Stock);

  const asked = await ours.run('Reserve 3 lamps');
  assert.deepEqual(
    asked.approvals.map(({ toolName, arguments: args }) => ({ toolName, args })),
    [{ toolName: 'reserve', args: { article: 'lamps', quantity: 3 } }],
  );
  assert.equal(stock.left['lamps'], 12);

  const run = await asked.approve();
  assert.match(run.text, /Reserved\.$/);
  assert.equal(stock.left['lamps'], 9);
});

void test('a denied reservation is not made', async () => {
  const model = scriptedModel([callTool('reserve', { article: 'chairs', quantity: 4 }), say('Then not.')]);
  const theirs = await start('warehouse', model);
  const ours = await start('shop', scriptedModel([]), theirs.url);
  const asked = await ours.run('Reserve 4 chairs');
  const run = await asked.deny('They are for the fair.');
  assert.match(run.text, /Then not\.$/);
  assert.equal(theirs.app.get(Stock).left['chairs'], 4);
});
