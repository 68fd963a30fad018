import { Readable } from 'node:stream';
import { Injectable, Logger, StreamableFile } from '@nestjs/common';
import { type Observable, of } from 'rxjs';
import type { Demand, Principal } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import { AG_UI_PROTO_TYPE, type AgUiEvent, type AgUiRuns, protoFrame, type StartedRun } from '../ag-ui-events/index.js';
import { acceptedTail, encodeTail, OpenStreams, tailObservable } from '../http/index.js';

type Accepted = Extract<StartedRun, { kind: 'accepted' }>;

/** Reads runs for AG-UI clients. */
@Injectable()
export class AgUiReader {
  private readonly logger = new Logger(AgUiReader.name);

  constructor(
    private readonly runs: Runs,
    private readonly streams: OpenStreams,
  ) {}

  /** The frames of an accepted run, from its beginning. */
  live(
    started: Accepted,
    encoder: ReturnType<AgUiRuns['encoder']>,
    reader: { readonly demand: Demand; readonly gone: AbortSignal; readonly cancelWhenLeft: boolean },
  ): Observable<readonly string[]> {
    const { principal, run } = started;
    const left = (): void => {
      if (reader.cancelWhenLeft && !this.streams.closing) this.cancel(principal, run.runId);
    };
    if (reader.gone.aborted) left();
    const { demand } = reader;
    return tailObservable({
      open: (signal) => encodeTail(acceptedTail(this.runs.tail(principal, run.runId, { demand, signal })), encoder),
      demand,
      onAbandoned: left,
    });
  }

  /** The same as a binary stream; the encoder's frames are `binaryFrame`s. */
  binary(
    started: Accepted,
    encoder: ReturnType<AgUiRuns['encoder']>,
    reader: { readonly gone: AbortSignal; readonly cancelWhenLeft: boolean },
  ): Observable<StreamableFile> {
    const { principal, run } = started;
    const { gone: signal } = reader;
    signal.addEventListener('abort', () => {
      if (reader.cancelWhenLeft && !this.streams.closing) this.cancel(principal, run.runId);
    });
    const frames = encodeTail(this.runs.tail(principal, run.runId, { signal }), encoder);
    return of(binaryAnswer(bytesOf(frames)));
  }

  private cancel(principal: Principal, runId: string): void {
    this.runs.cancel(principal, runId).catch((error: unknown) => {
      const stack = error instanceof Error ? error.stack : undefined;
      this.logger.error(`Run ${runId} could not be cancelled after its client left`, stack);
    });
  }
}

/** One event of the binary stream as a string of one character a byte. */
export function binaryFrame(event: AgUiEvent): string {
  return Buffer.from(protoFrame(event)).toString('latin1');
}

/** A binary stream as an answer. Its type has no charset: clients compare it as a whole. */
export function binaryAnswer(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): StreamableFile {
  return new StreamableFile(Readable.from(chunks, { objectMode: false }), { type: AG_UI_PROTO_TYPE });
}

async function* bytesOf(batches: AsyncIterable<readonly string[]>): AsyncGenerator<Uint8Array, void, void> {
  for await (const frames of batches) if (frames.length > 0) yield Buffer.from(frames.join(''), 'latin1');
}
