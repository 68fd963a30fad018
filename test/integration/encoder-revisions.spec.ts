import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { PIECES_WIRE, PiecesModule } from '../support/pieces-wire.js';
import { ProcessClient } from '../support/process-client.js';
import { startServer, type TestServer } from '../support/server.js';

jest.setTimeout(60_000);

describe('servers of several versions that write the frames of a wire differently', () => {
  let database: TestDatabase;
  let servers: TestServer[] = [];

  beforeAll(async () => {
    database = await sqliteDatabase();
    // Before the change, able to read it, writing it, and without the first form.
    const versions = [
      [1, [1]],
      [1, [1, 2]],
      [2, [1, 2]],
      [2, [2]],
    ] as const;
    for (const [current, known] of versions) {
      servers.push(await startServer({ database, imports: [PiecesModule.withRevisions(current, known)] }));
    }
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    servers = [];
    await database.drop();
  });

  async function runAt(version: number, text = 'hello'): Promise<string> {
    const { frames } = await new ProcessClient(servers[version]?.url ?? '').ask(text);
    return frames[0]?.id ?? '';
  }

  async function read(version: number, runId: string, after = 0): Promise<{ status: number; frames: string[] }> {
    const url = `${servers[version]?.url ?? ''}/runs/${runId}/events?protocol=${PIECES_WIRE}&after=${after}`;
    const answer = await fetch(url);
    return { status: answer.status, frames: (await answer.text()).match(/(?<=^data: ).*/gm) ?? [] };
  }

  it.each([
    { title: 'before the change', version: 1, first: '0' },
    { title: 'after the change', version: 2, first: '"begin"' },
  ])('a run that was accepted $title has the same frames at both, from every cursor', async ({ version, first }) => {
    const runId = await runAt(version);
    const { frames } = await read(version, runId);
    expect(frames[0]).toBe(first);
    expect(frames.filter((frame) => frame !== '"begin"')).toEqual(
      frames.slice(first === '0' ? 0 : 1).map((_, index) => String(index)),
    );
    for (const reader of [1, 2]) {
      for (const after of [0, 1, 2, frames.length - 1, frames.length]) {
        expect((await read(reader, runId, after)).frames).toEqual(frames.slice(after));
      }
    }
  });

  it('a stream continues at the other version without gap or repeat', async () => {
    const own = await new ProcessClient(servers[1]?.url ?? '').say('count to 40 slowly');
    await own.until(({ frames }) => frames.length > 0);
    const runId = own.frames[0]?.id ?? '';
    const taken: string[] = [];
    for (let reader = 2; taken.length < 30; reader = reader === 2 ? 1 : 2) {
      const gone = new AbortController();
      const url = `${servers[reader]?.url ?? ''}/runs/${runId}/events?protocol=${PIECES_WIRE}&after=${taken.length}`;
      const { body } = await fetch(url, { signal: gone.signal });
      let text = '';
      const chunks = body?.pipeThrough(new TextDecoderStream()).getReader();
      while ((text.match(/^data: .*\n\n/gm) ?? []).length < 4) {
        const chunk = await chunks?.read();
        if (chunk?.done !== false) break;
        text += chunk.value;
      }
      gone.abort();
      taken.push(...(text.match(/(?<=^data: ).*(?=\n\n)/gm) ?? []));
    }
    await own.all();
    expect(taken).toEqual(taken.map((_, index) => String(index)));
    expect(taken).toEqual((await read(2, runId)).frames.slice(0, taken.length));
  });

  it('a server that cannot write the frames of a run says so', async () => {
    const [earlier, later] = [await runAt(1), await runAt(2)];
    expect((await read(0, earlier)).status).toBe(200);
    expect((await read(0, later)).status).toBe(503);
    expect((await read(3, earlier)).status).toBe(410);
    expect((await read(3, later)).status).toBe(200);
  });

  it('a wire that does not know its own revision keeps the server from starting', async () => {
    const imports = [PiecesModule.withRevisions(2, [1])];
    await expect(startServer({ imports })).rejects.toThrow('The wire pieces does not know its own revision 2');
  });
});
