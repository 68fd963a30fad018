import type { AbortLike } from '../../../common/index.js';
import { Injectable } from '@nestjs/common';
import { Observable, type Subscriber } from 'rxjs';
import { CredentialWatch } from '../../../access/index.js';
import { ActiveStreams, type StreamReader } from '../../http/index.js';

/** Batches of complete frames. */
type Frames = readonly string[];

/** Hands what an asynchronous source yields to an event stream, at the pace of the connection. */
@Injectable()
export class LiveEvents {
  constructor(
    private readonly credentials: CredentialWatch,
    private readonly active: ActiveStreams,
  ) {}

  /**
   * The frames of a source, which ends early when the reader leaves, when its credential ends, or when the server sends
   * its clients away.
   *
   * @param read called once when the stream begins; it must end when the signal aborts. What it throws before its
   *   first batch is answered as an error; an empty batch means that the request is accepted
   */
  from(reader: StreamReader, read: (signal: AbortLike) => AsyncIterable<Frames>): Observable<Frames> {
    return new Observable<Frames>((out) => {
      const stop = new AbortController();
      const end = (): void => {
        stop.abort();
        reader.gate?.resume();
      };
      const unwatch = reader.caller && this.credentials.watch(reader.caller, end);
      const untrack = this.active.track({
        reconnects: true,
        end: (frame) => {
          reader.endConnection?.();
          if (frame !== undefined) out.next([frame]);
          end();
        },
      });
      pump(read(stop.signal), reader, out).then(
        () => out.complete(),
        (error: unknown) => out.error(error),
      );
      return () => {
        untrack();
        unwatch?.();
        end();
      };
    });
  }
}

async function pump(source: AsyncIterable<Frames>, { gate }: StreamReader, out: Subscriber<Frames>): Promise<void> {
  for await (const frames of source) {
    if (out.closed) return;
    out.next(frames);
    for (let wait = gate?.ready(); wait; wait = gate?.ready()) await wait;
    if (out.closed) return;
  }
}
