import { Injectable, Logger, type StreamableFile } from '@nestjs/common';
import { type Observable, of } from 'rxjs';
import type { BackpressureGate, Principal } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import { type AgUiEvent, type AgUiRuns, CLOSING_EVENT, protoFrame, type StartedRun } from '../ag-ui-events/index.js';
import { ActiveStreams } from '../http/index.js';
import { acceptedTail, encodeTail, tailObservable } from '../wire/index.js';
import { BinaryStreams } from './binary-streams.js';

type Accepted = Extract<StartedRun, { kind: 'accepted' }>;
type Encoder = ReturnType<AgUiRuns['encoder']>;

/** Who reads, and what becomes of the run when they leave. */
interface Reader {
  readonly gate: BackpressureGate;
  readonly gone: AbortSignal;
  readonly cancelWhenLeft: boolean;
}

/** Reads runs for AG-UI clients. */
@Injectable()
export class AgUiReader {
  private readonly logger = new Logger(AgUiReader.name);

  constructor(
    private readonly runs: Runs,
    private readonly streams: ActiveStreams,
    private readonly binaries: BinaryStreams,
  ) {}

  /** The frames of an accepted run, from its beginning. */
  live({ principal, run }: Accepted, encoder: Encoder, reader: Reader): Observable<readonly string[]> {
    const { gate, gone } = reader;
    const left = (): void => this.left(principal, run.runId, reader);
    if (gone.aborted) left();
    return tailObservable({
      open: (signal) => encodeTail(acceptedTail(this.runs.tail(principal, run.runId, { gate, signal })), encoder),
      gate,
      onAbandoned: left,
    });
  }

  /** The same as a binary stream; the encoder's frames are `binaryFrame`s. */
  binary({ principal, run }: Accepted, encoder: Encoder, reader: Reader): Observable<StreamableFile> {
    const { gate, gone: signal } = reader;
    const left = (): void => this.left(principal, run.runId, reader);
    if (signal.aborted) left();
    else signal.addEventListener('abort', left, { once: true });
    const frames = encodeTail(this.runs.tail(principal, run.runId, { gate, signal }), encoder);
    return of(this.binaries.answer(bytesOf(frames, gate)));
  }

  /** A binary stream of one event. */
  binaryEvent(event: AgUiEvent): Observable<StreamableFile> {
    return of(this.binaries.answer([protoFrame(event)]));
  }

  private left(principal: Principal, runId: string, { cancelWhenLeft }: Reader): void {
    if (!cancelWhenLeft || this.streams.isShuttingDown) return;
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

/** The frames as bytes. A stream that the shutdown cuts says so, so that no client takes the cut for the end. */
async function* bytesOf(
  batches: AsyncIterable<readonly string[]>,
  gate: BackpressureGate,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const frames of batches) if (frames.length > 0) yield Buffer.from(frames.join(''), 'latin1');
  if (gate.isCut) yield protoFrame(CLOSING_EVENT);
}
