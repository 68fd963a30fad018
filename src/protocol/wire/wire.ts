import type { AgentResponse } from '../../events/index.js';
import { AppError, RETRY_AFTER_SECONDS } from '../../common/index.js';
import { encoderRevisionOf, type RunView } from '../../run/index.js';
import type { HeaderReader } from '../http/connections/header-text.js';
import { commonErrorBody, type HttpError } from '../http/errors/http-error.js';
import type { OnDisconnect } from './disconnect-policy.js';
import type { FrameEncoder } from './frame-encoder.js';

/** The request that an error answers. */
export interface FailedRequest {
  /** Names the request in the server's log. */
  readonly requestId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly header: HeaderReader;
}

/** The revisions of a wire's encoder, numbered from 1. A new one begins where a frame is added or removed. */
export interface WireRevisions {
  /** That of runs that are accepted from now on. */
  readonly current: number;
  /** Those that this version can write, the current one among them. */
  readonly known: readonly number[];
}

/**
 * Describes a protocol to the rest of the server. A wire is one provider of this class in its own
 * module: `Wires` finds it there, its controllers name it with `@WireController`.
 */
export abstract class Wire {
  /** Its name in `?protocol=` and, where it accepts runs, in `RunRequest.wire`. At most 32 characters. */
  abstract readonly name: string;
  /** True when any run can be watched in its frames (`GET /runs/{runId}/events?protocol=<name>`). */
  readonly isWatchable: boolean = true;
  /**
   * How its paths begin. Needed for the error body of requests that match no route: those that do, have the
   * wire of their controller. The longest beginning of all wires wins.
   */
  readonly paths: readonly string[] = [];
  /** What happens to a run whose client disconnects, if the request does not specify it. */
  readonly onDisconnect: OnDisconnect = 'continue';
  /**
   * True when, without authentication, its sessions that were begun without a user are nobody's: for a wire on which a
   * session is created first, and a user can be named with it only later.
   */
  readonly sharesUnnamed: boolean = false;
  /** The keep-alive frame of its streams; absent, the comment `ping`. */
  readonly keepAliveFrame?: string;
  /** Milliseconds without a frame after which its streams get the keep-alive; absent, those of the server. */
  readonly keepAliveMs?: number;
  /** Further headers of its streams. */
  readonly streamHeaders?: Readonly<Record<string, string>>;
  /** The frame that ends a stream which the server cuts to shut down, where the encoder has none of its own. */
  readonly shutdownFrame?: string;

  /**
   * The revisions of its encoder. A run keeps the one that was current when it was accepted, because cursors count
   * frames; the encoder of the run writes the frames of `revisionOf(run)` (docs/add-a-wire.md).
   */
  readonly encoderRevisions: WireRevisions = { current: 1, known: [1] };

  /** Makes the encoder of one run, whichever wire started it, from its first event on. */
  abstract encoder(run: RunView): FrameEncoder;

  /**
   * The revision of this wire's encoder with which a run is read.
   *
   * @throws AppError NOT_READY for a revision of a later version of the server, EVENTS_EXPIRED for one that is no
   *   longer supported
   */
  revisionOf(run: RunView): number {
    const revision = encoderRevisionOf(run, this.name);
    const { known } = this.encoderRevisions;
    if (known.includes(revision)) return revision;
    if (revision > Math.max(...known)) {
      const message = 'The frames of this run are those of a later version of the server';
      throw new AppError('NOT_READY', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    throw new AppError('EVENTS_EXPIRED', 'The frames of this run are those of an earlier version of the server');
  }

  /** The body of an error before a stream. By default the common one. */
  errorBody(error: HttpError, { requestId }: FailedRequest): object {
    return commonErrorBody(error, requestId);
  }

  /** The status of an error before a stream. By default that of the error. */
  errorStatus(error: HttpError, _request: FailedRequest): number {
    return error.status;
  }

  /** Further headers of an error before a stream, which take the place of others of the same name. By default none. */
  errorHeaders(_error: HttpError, _request: FailedRequest): Readonly<Record<string, string>> {
    return {};
  }

  /** The JSON of a run that has ended, for a client that does not stream. By default the response itself. */
  summary(_run: RunView, response: AgentResponse): object {
    return response;
  }
}
