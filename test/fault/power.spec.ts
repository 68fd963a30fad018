import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { answerText, expectWhole, ProcessClient } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';

jest.setTimeout(120_000);

const WORDS = 40;
/**
 * The tracer runs beside the server, which keeps its own process id, and follows its threads; strings are shown whole,
 * descriptors by name.
 */
const TRACE = ['strace', '-D', '-f', '-y', '-s', '100000', '-e', 'trace=pwrite64,write,writev,sendmsg,fdatasync,fsync'];
const canTrace = spawnSync(TRACE[0] ?? '', ['-D', '-e', 'trace=write', '-o', '/dev/null', 'true']).status === 0;
const title = 'the log on the disk';

/** What the server asked of the kernel, in order. */
interface Trace {
  /** Writes into the write-ahead log. */
  readonly log: readonly Call[];
  /** Syncs of the write-ahead log that succeeded. */
  readonly synced: readonly Call[];
  /** Writes to clients. */
  readonly shown: readonly Call[];
}

/** A system call: the lines of the trace at which it began and returned. */
interface Call {
  readonly began: number;
  readonly returned: number;
  /** Without the number of the thread, up to the result. */
  readonly text: string;
}

/** The calls of a trace of several threads: a call that others interrupt has two lines. */
function callsOf(file: string): readonly Call[] {
  const calls: Call[] = [];
  const open = new Map<string, { began: number; text: string }>();
  for (const [at, line] of readFileSync(file, 'latin1').split('\n').entries()) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const unfinished = / <unfinished \.\.\.>$/.exec(rest);
    const resumed = /^<\.\.\. \w+ resumed>/.exec(rest);
    if (unfinished) open.set(thread, { began: at, text: rest.slice(0, unfinished.index) });
    else if (resumed) {
      const { began = at, text = '' } = open.get(thread) ?? {};
      calls.push({ began, returned: at, text: text + rest.slice(resumed[0].length) });
    } else calls.push({ began: at, returned: at, text: rest });
  }
  return calls;
}

function traceOf(file: string): Trace {
  const calls = callsOf(file);
  const those = (pattern: RegExp): Call[] => calls.filter(({ text }) => pattern.test(text));
  return {
    log: those(/^pwrite64\(\d+<[^>]*-wal>/),
    synced: those(/^f(?:data)?sync\(\d+<[^>]*-wal>\)\s*= 0/),
    shown: those(/^(?:write|writev|sendmsg)\(\d+<(?:socket|TCP)/),
  };
}

/** Whether a word was written to the log before it was shown to a client, and was on the disk in between. */
function journey({ log, synced, shown }: Trace, word: string): 'not seen' | 'seen first' | 'seen early' | 'kept' {
  const first = (calls: readonly Call[]): Call | undefined =>
    calls.find(({ text }) => new RegExp(`\\b${word}\\b`).test(text));
  const [written, seen] = [first(log), first(shown)];
  if (!seen) return 'not seen';
  if (!written || seen.began < written.returned) return 'seen first';
  const isKept = synced.some(({ began, returned }) => written.returned < began && returned < seen.began);
  return isKept ? 'kept' : 'seen early';
}

(canTrace ? describe : describe.skip)(canTrace ? title : `${title} (skipped: strace cannot trace here)`, () => {
  let database: TestDatabase;
  let server: ServerProcess;

  afterEach(async () => {
    await server.stop();
    await database.drop();
  });

  /** The words of a streamed answer, on their way through the server. */
  async function traced(durability: string): Promise<{ trace: Trace; words: string[] }> {
    database = await sqliteDatabase();
    const file = join(database.env.DATA_DIR, 'trace');
    server = await ServerProcess.start(database, { DURABILITY: durability }, undefined, [
      ...TRACE,
      '-o',
      file,
      process.execPath,
    ]);
    const stream = await new ProcessClient(server.url).ask(`repeat ${WORDS} words`, { session_id: 'zebra' });
    const words = answerText(expectWhole(stream.frames)).split(' ');
    expect(words).toHaveLength(WORDS);
    await server.stop();
    return { trace: traceOf(file), words };
  }

  it('with DURABILITY=strict the log is on the disk before a client gets an event', async () => {
    const { trace, words } = await traced('strict');
    // What was accepted, before the first byte of the answer, and each word.
    for (const word of ['zebra', ...words]) expect([word, journey(trace, word)]).toEqual([word, 'kept']);
  });

  it('with DURABILITY=relaxed a client can get an event before the log is on the disk', async () => {
    const { trace, words } = await traced('relaxed');
    const journeys = new Set(['zebra', ...words].map((word) => journey(trace, word)));
    expect(journeys).toContain('seen early');
    expect(journeys).not.toContain('seen first');
  });
});
