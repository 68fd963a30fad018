import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anthropicAnswer } from '../../src/agent/adapters/testing/provider-streams.js';
import { rawUpstream, type RawUpstream } from '../../src/agent/adapters/testing/raw-upstream.js';
import { answerText, expectWhole, ProcessClient } from '../support/process-client.js';

type Server = Awaited<typeof import('../examples/claude.js').server>;

/** @alone The package of the provider reads its settings when it is loaded. */
describe('the example of docs/models.md', () => {
  const saved = { ...process.env };
  const folder = mkdtempSync(join(tmpdir(), 'parley-'));
  let upstream: RawUpstream;
  let server: Server | undefined;
  let printed = '';

  beforeAll(async () => {
    upstream = await rawUpstream(anthropicAnswer([{ text: 'Hello from Claude.' }]));
    Object.assign(process.env, { ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: 'k' });
    Object.assign(process.env, { DATA_DIR: folder, PORT: '0', SAMPLES: 'off', LOG_LEVEL: 'silent' });
    const output = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
    try {
      server = await (await import('../examples/claude.js')).server;
    } finally {
      output.mockRestore();
    }
  });

  afterAll(async () => {
    await server?.close();
    await upstream.close();
    process.env = saved;
    rmSync(folder, { recursive: true, force: true });
  });

  it('serves, without settings of a model, and says which model it has', async () => {
    expect(printed).toContain('Model      claude-sonnet-4-5 of anthropic.messages');
    const health = (await (await fetch(`${await server?.getUrl()}/health`)).json()) as { model: unknown };
    expect(health.model).toMatchObject({ kind: 'anthropic.messages', name: 'claude-sonnet-4-5' });
    const { frames } = await new ProcessClient((await server?.getUrl()) ?? '').ask('Hi');
    expect(answerText(expectWhole(frames))).toBe('Hello from Claude.');
  });
});
