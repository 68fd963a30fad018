import { strict as assert } from 'node:assert';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { callTool, say, scriptedModel, startTestServer, type TestServer } from 'parley-server/testing';
import { extensions } from '../src/extensions.js';

// The tests use the real MCP server, with a copy of the notes.
const folder = mkdtempSync(join(tmpdir(), 'notes-'));
let server: TestServer;
let model: ReturnType<typeof scriptedModel>;

before(async () => {
  cpSync('notes', folder, { recursive: true });
  const servers = readFileSync('mcp-servers.json', 'utf8').replace('"notes"]', `${JSON.stringify(folder)}]`);
  // The first run waits for the tools of the server.
  const settings = { MCP_SERVERS: servers, MCP_LIST_WAIT_MS: 60_000 };
  model = scriptedModel([
    callTool('read_text_file', { path: 'release.txt' }),
    say('It is planned for Thursday.'),
    callTool('write_file', { path: 'milk.txt', content: 'Buy milk.' }),
    say('Noted.'),
  ]);
  server = await startTestServer({ ...extensions, model, settings });
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

void test('the agent reads a note without asking', async () => {
  const run = await server.run('When is the release?', { agent: 'notes' });
  assert.equal(run.text, 'It is planned for Thursday.');
  assert.match(run.toolCalls[0]?.output ?? '', /Release 4\.2 is planned for Thursday/);
});

void test('the agent asks before it writes a note', async () => {
  const asked = await server.run('Note that we need milk', { agent: 'notes' });
  assert.equal(asked.approvals[0]?.toolName, 'write_file');
  const run = await asked.approve();
  assert.equal(run.text, 'Noted.');
  assert.equal(readFileSync(join(folder, 'milk.txt'), 'utf8'), 'Buy milk.');
});

void test('only the allowed tools of the server are offered to the model', () => {
  const names = model.requests[0]?.tools.map(({ name }) => name);
  assert.ok(names?.includes('read_text_file'));
  assert.ok(!names?.includes('move_file'));
});
