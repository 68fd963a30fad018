import type { AnswerLoad, AnswerResult } from '../protocol.js';
import { AnswerReader } from './answer-reader.js';
import { HttpConnection } from './http-connection.js';
import { WIRES } from './wires.js';

type Storm = Extract<AnswerLoad, { do: 'storm' }>;

/**
 * Live streams that are all cut at one moment, once each has `cutAfter` pieces, and that all ask at once for
 * what they missed. Measures the time from the cut to the next piece of each. Every stream is then read to
 * its end, without a gap or a repetition.
 */
export async function resumeStorm({ wire, port, streams, answer, cutAfter }: Storm): Promise<AnswerResult> {
  const cut = Array.from({ length: streams }, () => new HttpConnection(port));
  const readers = cut.map(() => new AnswerReader(WIRES[wire], answer));
  const reads = readers.map((reader, index) => reader.read(cut[index] as HttpConnection, true));
  await Promise.race([Promise.all(reads), Promise.all(readers.map((reader) => reached(reader, cutAfter)))]);
  const start = performance.now();
  for (const connection of cut) connection.destroy();
  await Promise.all(reads);
  const gaps = await Promise.all(readers.map((reader) => resumeOne(reader, port, start)));
  return { events: streams * answer.pieces, ms: performance.now() - start, gaps };
}

function reached(reader: AnswerReader, pieces: number): Promise<void> {
  return new Promise((resolve) => {
    reader.onPiece = () => {
      if (reader.pieces >= pieces) resolve();
    };
  });
}

/** Milliseconds from the cut to the next piece. */
async function resumeOne(reader: AnswerReader, port: number, start: number): Promise<number> {
  let gap = Infinity;
  reader.onPiece = () => {
    gap = performance.now() - start;
    reader.onPiece = undefined;
  };
  const connection = new HttpConnection(port);
  await reader.resume(connection);
  connection.destroy();
  return gap;
}
