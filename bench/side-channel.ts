import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerAnswer, ServerQuestion } from './protocol.js';

type Handler = (question: ServerQuestion) => Promise<ServerAnswer | undefined> | ServerAnswer | undefined;

/** A socket's inside, as far as the count of its system calls needs it. */
interface Handle {
  [method: string]: unknown;
}

const WRITES = ['writev', 'writeBuffer', 'writeUtf8String', 'writeLatin1String', 'writeAsciiString'] as const;

let counting = false;
let writes = 0;

/** Answers the questions of the process that started this server, and tells it the address. */
export function openSideChannel(port: number, own: Handler = () => undefined): void {
  const delay = monitorEventLoopDelay({ resolution: 1 });
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

async function answer(
  question: ServerQuestion,
  delay: ReturnType<typeof monitorEventLoopDelay>,
  own: Handler,
): Promise<ServerAnswer> {
  switch (question.ask) {
    case 'usage': {
      const { user, system } = process.cpuUsage();
      return { cpu: user + system, rss: process.memoryUsage.rss() };
    }
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
    case 'gone':
    case 'replay':
    case 'reply':
      return (await own(question)) ?? {};
  }
}
