import { BackpressureGate } from '../../../common/index.js';
import type { LoggedEvent } from '../../../events/index.js';
import type { RunView } from '../../../run/index.js';
import type { ControlFrames, HttpError, StreamReader } from '../../http/index.js';
import type { FrameEncoder } from '../frame-encoder.js';
import type { RunStream } from '../run-stream.js';
import type { OnDisconnect } from '../disconnect-policy.js';
import { Wire } from '../wire.js';

/** One frame for each event, `1 2 3 …`, and `end`. */
export class CountingEncoder implements FrameEncoder {
  readonly joinable = false;
  readonly variant = 'counting';
  encoded = 0;
  prepared = 0;

  prepare(): Promise<void> | undefined {
    this.prepared += 1;
    return undefined;
  }

  next({ seq }: LoggedEvent): readonly string[] {
    this.encoded += 1;
    return [String(seq + 1)];
  }

  end(): readonly string[] {
    return ['end'];
  }

  firstFrame(frame: string): string {
    return `first ${frame}`;
  }

  shutdownFrame(): string {
    return `cut after ${this.encoded}`;
  }

  errorFrames({ code }: HttpError): readonly string[] {
    return [`error ${code}`];
  }
}

/** A wire of such frames. */
export class CountingWire extends Wire {
  readonly name = 'counting';
  override readonly keepAliveFrame = 'ping';
  override readonly shutdownFrame = 'cut';
  override onDisconnect: OnDisconnect = 'continue';
  readonly encoders: CountingEncoder[] = [];

  override encoder(): FrameEncoder {
    const encoder = new CountingEncoder();
    this.encoders.push(encoder);
    return encoder;
  }

  override summary({ runId }: RunView, { status }: { readonly status: string }): object {
    return { runId, status };
  }
}

/** A client that reads what it is sent. */
export class FakeClient implements StreamReader {
  readonly gate = new BackpressureGate();
  readonly frames: string[] = [];
  controlFrames: ControlFrames = {};
  accepted = false;
  ended = false;
  error: unknown;
  private readonly leaving = new AbortController();

  get gone(): AbortSignal {
    return this.leaving.signal;
  }

  useControlFrames(frames: ControlFrames): void {
    this.controlFrames = frames;
  }

  /** Reads server-sent events. Returns how to leave. */
  read(stream: RunStream): () => void {
    const subscription = stream.events().subscribe({
      next: (batch) => (batch.length > 0 ? this.frames.push(...batch) : (this.accepted = true)),
      complete: () => (this.ended = true),
      error: (error: unknown) => (this.error = error),
    });
    return () => subscription.unsubscribe();
  }

  leave(): void {
    this.leaving.abort();
  }
}

/** The frames of a whole run of `MemoryRuns`. */
export const ALL_FRAMES = ['first 1', ...Array.from({ length: 10 }, (_, index) => String(index + 2)), 'end'];

/** Lets everything that is ready happen. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
