import type { AnswerLoad, AnswerResult } from '../protocol.js';
import { AnswerReader } from './answer-reader.js';
import { HttpConnection } from './http-connection.js';
import { WIRES } from './wires.js';

type Storm = Extract<AnswerLoad, { do: 'storm' }>;

/** Pieces that each stream is read after it was resumed. */
const READ_AFTER = 100;

/**
 * Live streams that are all cut at one moment, once each has `cutAfter` pieces, and that all ask at once for
 * what they missed. Measures the time from the cut to the next piece of each. Every stream is then read for a
 * while: nothing is missing and nothing comes twice.
 */
export async function resumeStorm({ wire, port, streams, answer, cutAfter }: Storm): Promise<AnswerResult> {
  const open = Array.from({ length: streams }, () => ({
    reader: new AnswerReader(WIRES[wire], answer),
    connection: new HttpConnection(port),
  }));
  await Promise.all(open.map(({ reader, connection }) => reader.readUntil(cutAfter, connection)));
  const start = performance.now();
  for (const { connection } of open) connection.destroy();
  const readers = open.map(({ reader }) => reader);
  const gaps = await Promise.all(readers.map((reader) => resumeOne(reader, port, start)));
  return { events: readers.reduce((sum, { pieces }) => sum + pieces, 0), ms: performance.now() - start, gaps };
}

/** Milliseconds from the cut to the next piece. */
async function resumeOne(reader: AnswerReader, port: number, start: number): Promise<number> {
  let gap = Infinity;
  reader.onPiece = () => {
    gap = performance.now() - start;
    reader.onPiece = undefined;
  };
  const connection = new HttpConnection(port);
  await reader.resumeUntil(reader.pieces + READ_AFTER, connection);
  connection.destroy();
  return gap;
}
