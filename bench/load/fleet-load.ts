import type { AnswerResult, FleetLoad } from '../protocol.js';
import { HttpConnection } from './http-connection.js';
import { PieceTimes } from './piece-times.js';
import { WIRES, type WireRequest } from './wires.js';

const SSE = 'accept: text/event-stream\r\n';
/** Runs that are started at once. */
const STARTED_AT_ONCE = 50;

/** What `remote` has left open. */
let owners: PieceTimes[] = [];
let remotes: PieceTimes[] = [];

/** What is measured on two instances: each run has its readers in this process, so that their times compare. */
export function fleetLoad(load: FleetLoad): Promise<AnswerResult> {
  switch (load.do) {
    case 'lag':
      return lag(load);
    case 'both':
      return both(load);
    case 'remote':
      return remote(load);
    case 'remoteEnds':
      return remoteEnds();
    case 'cancels':
      return cancels(load);
  }
}

/** Cuts what is open. */
export function dropFleet(): void {
  for (const reader of [...owners, ...remotes]) reader.destroy();
  [owners, remotes] = [[], []];
}

type Streams = Extract<FleetLoad, { readonly streams: number }>;

/** Runs that each have a reader at both instances: how much later the other one gets each piece. */
async function lag({ streams, port, otherPort, answer }: Streams): Promise<AnswerResult> {
  const start = performance.now();
  const one = async (): Promise<number[]> => {
    const own = new PieceTimes(new HttpConnection(port));
    const ownEnd = own.read(WIRES.runs.ask(answer, true));
    await own.until(1);
    const other = new PieceTimes(new HttpConnection(otherPort));
    const before = own.times.length;
    await Promise.all([ownEnd, other.read(eventsOf(own))]);
    if (other.times.length !== answer.pieces || own.times.length !== answer.pieces) {
      throw new Error(`${own.times.length} and ${other.times.length} of ${answer.pieces} pieces came`);
    }
    // What was there before the other reader began is no measure of the way to it, nor is the time until it has begun.
    return other.times.map((time, index) => time - (own.times[index] ?? NaN)).slice(before + 1);
  };
  const lags = await Promise.all(Array.from({ length: streams }, one));
  return { lags: lags.flat(), events: streams * answer.pieces, ms: performance.now() - start };
}

/** Half of the streams at each instance, read to their ends. */
async function both({ streams, port, otherPort, answer }: Streams): Promise<AnswerResult> {
  const start = performance.now();
  const one = async (index: number): Promise<void> => {
    const reader = new PieceTimes(new HttpConnection(index % 2 === 0 ? port : otherPort));
    await reader.read(WIRES.runs.ask(answer, false));
    if (reader.times.length !== answer.pieces)
      throw new Error(`${reader.times.length} of ${answer.pieces} pieces came`);
  };
  await Promise.all(Array.from({ length: streams }, (_, index) => one(index)));
  return { events: streams * answer.pieces, ms: performance.now() - start };
}

/** Runs at one instance, each with a reader at the other, all left open after their first piece. */
async function remote({ streams, port, otherPort, answer }: Streams): Promise<AnswerResult> {
  const openOne = async (): Promise<void> => {
    const owner = new PieceTimes(new HttpConnection(port));
    owners.push(owner);
    // Its instance may be killed.
    owner.read(WIRES.runs.ask(answer, true)).catch(() => undefined);
    await owner.until(1);
    const reader = new PieceTimes(new HttpConnection(otherPort));
    remotes.push(reader);
    reader.read(eventsOf(owner)).catch(() => undefined);
    await reader.until(1);
  };
  for (let done = 0; done < streams; done += STARTED_AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(STARTED_AT_ONCE, streams - done) }, openOne));
  }
  return {};
}

/** Waits until the readers that are open have been silent and got pieces again, then for their ends. */
async function remoteEnds(): Promise<AnswerResult> {
  while (remotes.some(({ endedAt }) => endedAt === undefined)) await new Promise((resolve) => setTimeout(resolve, 20));
  return { gaps: remotes.map(({ longestGap }) => longestGap) };
}

/** Cancels runs at the other instance, one after another: the time until the stream at the owner has ended. */
async function cancels({
  requests,
  port,
  otherPort,
  answer,
}: Extract<FleetLoad, { do: 'cancels' }>): Promise<AnswerResult> {
  const took: number[] = [];
  for (let count = 0; count < requests; count += 1) {
    const reader = new PieceTimes(new HttpConnection(port));
    const end = reader.read(WIRES.runs.ask(answer, true));
    await reader.until(1);
    const start = performance.now();
    await Promise.all([cancel(otherPort, reader), end]);
    took.push((reader.endedAt ?? Infinity) - start);
  }
  return { took };
}

async function cancel(port: number, reader: PieceTimes): Promise<void> {
  const { threadId, runId } = reader.names;
  const connection = new HttpConnection(port);
  const head = (status: number, headers: string): void => {
    if (status !== 202) throw new Error(`status ${status}: ${headers}`);
  };
  await connection.request(`/api/v1/agent/runs/${threadId}/${runId}/cancel`, '{}', '', {
    head,
    body: () => undefined,
  });
  connection.destroy();
}

function eventsOf(reader: PieceTimes): WireRequest {
  const { threadId, runId } = reader.names;
  return { path: `/api/v1/agent/runs/${threadId}/events?runId=${runId}`, headers: SSE };
}
