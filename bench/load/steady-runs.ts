import type { AnswerLoad, AnswerResult } from '../protocol.js';
import { AnswerReader } from './answer-reader.js';
import { HttpConnection } from './http-connection.js';
import { WIRES } from './wires.js';

type Steady = Extract<AnswerLoad, { do: 'steady' }>;

/** How often due requests are sent, in milliseconds. */
const TICK_MS = 20;
/** A connection that was idle for longer may be about to be closed by the server, in milliseconds. */
const LONGEST_IDLE_MS = 5000;

/** Short answers at a fixed rate, whatever the server needs for each; connections are kept and reused. */
export async function steadyRuns({ wire, port, perSecond, seconds, answer }: Steady): Promise<AnswerResult> {
  const start = performance.now();
  const total = perSecond * seconds;
  const idle: { readonly connection: HttpConnection; readonly since: number }[] = [];
  const took: number[] = [];
  const running = new Set<Promise<void>>();
  let failure: Error | undefined;
  const runOne = async (): Promise<void> => {
    const began = performance.now();
    while ((idle[0]?.since ?? began) < began - LONGEST_IDLE_MS) idle.shift()?.connection.destroy();
    const connection = idle.pop()?.connection ?? new HttpConnection(port);
    await new AnswerReader(WIRES[wire], answer).read(connection);
    took.push(performance.now() - began);
    idle.push({ connection, since: performance.now() });
  };
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * perSecond) + 1);
    for (; sent < due; sent += 1) {
      const run = runOne()
        .catch((error: Error) => (failure ??= error))
        .then(() => void running.delete(run));
      running.add(run);
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    if (failure) throw failure;
  }
  await Promise.all(running);
  if (failure) throw failure;
  for (const { connection } of idle) connection.destroy();
  return { requests: total, ms: performance.now() - start, took };
}
