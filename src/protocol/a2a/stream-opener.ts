import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { AbortLike } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import type { StreamClient } from '../http/index.js';
import { type NextRun, RunStreams } from '../wire/index.js';
import type { A2aEncoder, StreamFormat } from './a2a.encoder.js';
import { A2aSettings } from './a2a.settings.js';
import type { Version } from './a2a.types.js';
import { A2a03Wire, A2aWire } from './a2a.wire.js';

/** The frames of a stream, in batches that are written at once. */
type Frames = Observable<readonly string[]>;

const CREDENTIAL_ENDED = { status: 401, code: 'AUTH_FAILED', message: 'The credential has ended' } as const;

/** Opens streams of tasks. */
@Injectable()
export class StreamOpener {
  constructor(
    private readonly streams: RunStreams,
    private readonly settings: A2aSettings,
    private readonly wire: A2aWire,
    private readonly wire03: A2a03Wire,
  ) {}

  /** Opens a stream, which ends at the latest after `A2A_STREAM_MS`. */
  open(
    client: StreamClient,
    version: Version,
    format: StreamFormat,
    parts: {
      readonly head: readonly string[];
      readonly first?: { readonly run: RunView; readonly encoder: A2aEncoder; readonly readTo: number } | undefined;
      readonly encoderOf?: (run: RunView) => A2aEncoder;
      readonly next: (last: RunView | undefined, signal: AbortLike) => Promise<NextRun>;
    },
  ): Frames {
    const wire = version === '1.0' ? this.wire : this.wire03;
    const { head, first, next, encoderOf = (run: RunView) => wire.encoder(run) } = parts;
    const stream = this.streams.followRuns(client, {
      wire,
      head,
      first,
      encoderOf,
      next,
      shutdownFrame: format.closing,
      credentialFrame: format.error(CREDENTIAL_ENDED),
      errorFrames: (error) => [format.error(error)],
    });
    const timer = setTimeout(() => stream.end(), this.settings.streamMs).unref();
    client.reply.raw.once('close', () => clearTimeout(timer));
    return stream.events();
  }
}
