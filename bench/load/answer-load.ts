import type { Answer } from '../answer.js';
import type { AnswerLoad, AnswerResult } from '../protocol.js';
import { AnswerReader } from './answer-reader.js';
import { dropFleet, fleetLoad } from './fleet-load.js';
import { HttpConnection } from './http-connection.js';
import { resumeStorm } from './resume-storm.js';
import { steadyRuns } from './steady-runs.js';
import { WIRES } from './wires.js';
import { serveLoads } from './serve-loads.js';

/** The connections that `open` has left open. */
const held: HttpConnection[] = [];
/** Connections that `open` opens at once. */
const OPENED_AT_ONCE = 50;

serveLoads(perform);

async function perform(load: AnswerLoad): Promise<AnswerResult> {
  switch (load.do) {
    case 'streams':
      return streams(load);
    case 'requests':
      return requests(load);
    case 'open':
      return open(load);
    case 'drop':
      for (const connection of held.splice(0)) connection.destroy();
      dropFleet();
      return {};
    case 'storm':
      return resumeStorm(load);
    case 'steady':
      return steadyRuns(load);
    case 'lag':
    case 'both':
    case 'remote':
    case 'remoteEnds':
    case 'cancels':
      return fleetLoad(load);
  }
}

/** Streams that begin together, each over a connection of its own, read to their ends. */
async function streams({ wire, port, streams: count, answer }: Extract<AnswerLoad, { do: 'streams' }>) {
  const start = performance.now();
  const all = await Promise.all(
    Array.from({ length: count }, () => readOne(port, new AnswerReader(WIRES[wire], answer))),
  );
  return {
    events: count * answer.pieces,
    ms: performance.now() - start,
    first: all.map(({ firstAt }) => (firstAt ?? Infinity) - start),
    late: all.map(({ lastAt }) => lastAt - start - paceMs(answer)),
  };
}

async function readOne(port: number, reader: AnswerReader): Promise<AnswerReader> {
  const connection = new HttpConnection(port);
  await reader.read(connection);
  connection.destroy();
  return reader;
}

/** How long the model takes for its pieces when nothing holds it up. */
function paceMs({ pieces, lead, everyMs }: Answer): number {
  return everyMs * (pieces - lead);
}

/** Short answers one after another on each of some kept connections. */
async function requests({
  wire,
  port,
  requests: count,
  connections,
  answer,
}: Extract<AnswerLoad, { do: 'requests' }>): Promise<AnswerResult> {
  const start = performance.now();
  let left = count;
  const work = async (): Promise<void> => {
    const connection = new HttpConnection(port);
    while (left-- > 0) await new AnswerReader(WIRES[wire], answer).read(connection);
    connection.destroy();
  };
  await Promise.all(Array.from({ length: connections }, work));
  return { requests: count, ms: performance.now() - start };
}

/** Opens streams and leaves them open after their first piece. */
async function open({
  wire,
  port,
  streams: count,
  answer,
}: Extract<AnswerLoad, { do: 'open' }>): Promise<AnswerResult> {
  const openOne = (): Promise<void> => {
    const connection = new HttpConnection(port);
    held.push(connection);
    return new AnswerReader(WIRES[wire], answer).readUntil(1, connection);
  };
  for (let done = 0; done < count; done += OPENED_AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(OPENED_AT_ONCE, count - done) }, openOne));
  }
  return {};
}
