import { writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ServerAnswer, ServerQuestion } from './protocol.js';

type Handler = (question: ServerQuestion) => Promise<ServerAnswer | undefined> | ServerAnswer | undefined;

/** A socket's inside, as far as the count of its system calls needs it. */
interface Handle {
  [method: string]: unknown;
}

const WRITES = ['writev', 'writeBuffer', 'writeUtf8String', 'writeLatin1String', 'writeAsciiString'] as const;

/** The delay is measured by a timer of this period; its values include the period. */
const RESOLUTION_MS = 1;
/** Microseconds between two samples of the profiler. */
const SAMPLING_US = 500;

let counting = false;
let writes = 0;

/** Answers the questions of the process that started this server, and tells it the address. */
export function openSideChannel(port: number, own: Handler = () => undefined): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  process.on('message', ({ id, question }: { id: number; question: ServerQuestion }) => {
    answer(question, delay, own).then(
      (result) => process.send?.({ id, result }),
      (error: unknown) => process.send?.({ id, result: { error: String(error) } }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ port });
}

/** Lets the writes of a server's sockets be counted; free while nobody counts. */
export function countWrites(server: Server): void {
  server.on('connection', (socket: Socket) => {
    if (!counting) return;
    const handle = (socket as unknown as { _handle: Handle })._handle;
    for (const name of WRITES) {
      const original = handle[name];
      if (typeof original !== 'function') continue;
      handle[name] = (...args: unknown[]): unknown => {
        writes += 1;
        return Reflect.apply(original, handle, args) as unknown;
      };
    }
  });
}

function youngBytes(): number {
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => name === 'new_space');
  return spaces.reduce((sum, { physical_space_size: size }) => sum + size, 0);
}

async function answer(
  question: ServerQuestion,
  delay: ReturnType<typeof monitorEventLoopDelay>,
  own: Handler,
): Promise<ServerAnswer> {
  switch (question.ask) {
    case 'usage': {
      const { user, system } = process.cpuUsage();
      return { cpu: user + system, rss: process.memoryUsage.rss(), young: youngBytes() };
    }
    case 'heap': {
      collect();
      return { heap: process.memoryUsage().heapUsed };
    }
    case 'delay': {
      const delayMs = Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS);
      const stallMs = delay.max / 1e6;
      delay.reset();
      return { delayMs, stallMs };
    }
    case 'profile':
      return profile(question.file);
    case 'stall': {
      const stallMs = delay.max / 1e6;
      delay.reset();
      return { stallMs };
    }
    case 'writes': {
      const result = { writes };
      writes = 0;
      counting = question.counting;
      return result;
    }
    case 'key':
    case 'gone':
    case 'replay':
    case 'reply':
      return (await own(question)) ?? {};
  }
}

/** A full collection of the heap. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

let profiler: Session | undefined;

/** Starts the processor profiler, or stops it and writes what it found. */
async function profile(file: string | undefined): Promise<ServerAnswer> {
  if (profiler === undefined) {
    profiler = new Session();
    profiler.connect();
    await profiler.post('Profiler.enable');
    await profiler.post('Profiler.setSamplingInterval', { interval: SAMPLING_US });
    await profiler.post('Profiler.start');
  } else {
    const { profile } = await profiler.post('Profiler.stop');
    if (file !== undefined) writeFileSync(file, JSON.stringify(profile));
    profiler.disconnect();
    profiler = undefined;
  }
  return {};
}
