import type { JsonObject } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import type { HttpError } from '../http/errors/http-error.js';
import type { FrameEncoder } from '../wire/frame-encoder.js';
import { STREAM_CLOSED, wireError } from './a2a.errors.js';
import type { TaskIds, TaskUpdate, Version } from './a2a.types.js';
import type { RunFold } from './run-fold.js';
import { SHAPES, type Shapes } from './shapes.js';

/** The keep-alive of streams. */
export const KEEP_ALIVE_FRAME = ': ka\n\n';

/** How one stream is written: its envelope, and the numbers of its frames over all runs of the task. */
export class StreamFormat {
  readonly shapes: Shapes;
  /** The number of the last update that was written or is in the first frame. */
  private number: number;

  /**
   * @param options.rpcId of the JSON-RPC request; undefined for the REST binding
   * @param options.seen the number of the last update that the first frame contains
   */
  constructor(
    private readonly options: {
      readonly version: Version;
      readonly rpcId?: string | number | null | undefined;
      readonly hasProgress?: boolean;
      readonly seen?: number;
    },
  ) {
    this.shapes = SHAPES[options.version];
    this.number = options.seen ?? 0;
  }

  /** A frame that is not counted: the first of a stream. */
  first(result: JsonObject): string {
    return this.frame(result);
  }

  /** The frame of the next update. */
  update(ids: TaskIds, update: TaskUpdate): string {
    this.number += 1;
    return this.frame(this.shapes.updateFrame(ids, update));
  }

  /** The frame that ends a stream with an error. */
  error(error: HttpError, metadata: Readonly<Record<string, string>> = {}): string {
    const { rpc, rest } = wireError(error, this.options.version, metadata);
    const { rpcId } = this.options;
    if (rpcId === undefined) return `event: error\ndata: ${JSON.stringify(rest)}\n\n`;
    return `data: ${JSON.stringify({ jsonrpc: '2.0', id: rpcId, error: rpc })}\n\n`;
  }

  /** The frame that ends a stream which the server cuts. */
  get closing(): string {
    return this.error(STREAM_CLOSED);
  }

  private frame(result: JsonObject): string {
    const { rpcId, hasProgress } = this.options;
    const json = JSON.stringify(rpcId === undefined ? result : { jsonrpc: '2.0', id: rpcId, result });
    return `id: ${hasProgress === true ? 'p' : ''}${this.number}\ndata: ${json}\n\n`;
  }
}

/** A run as update frames of its task (contract a2a, section 7.1). */
export class A2aEncoder implements FrameEncoder {
  readonly joinable = true;

  constructor(
    private readonly fold: RunFold,
    private readonly ids: TaskIds,
    private readonly format: StreamFormat,
    /** As `FrameEncoder.variant`. */
    readonly variant?: string,
  ) {}

  next(event: LoggedEvent): readonly string[] {
    return this.fold.next(event).map((update) => this.format.update(this.ids, update));
  }

  end(): readonly string[] {
    return [];
  }

  shutdownFrame(): string {
    return this.format.closing;
  }

  errorFrames(error: HttpError): readonly string[] {
    return [this.format.error(error)];
  }
}
