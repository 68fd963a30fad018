import { finished, Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable, StreamableFile } from '@nestjs/common';
import { AG_UI_PROTO_TYPE } from '../ag-ui-events/index.js';

/** How long the server waits, when it stops, for a reader to take the end of its stream. In milliseconds. */
const LAST_BYTES_MS = 1000;

/** The binary streams that this process is serving. A server that stops lets each of them come to its end. */
@Injectable()
export class BinaryStreams implements BeforeApplicationShutdown {
  private readonly open = new Map<Readable, Promise<void>>();

  /** A binary stream as an answer. Its type has no charset: clients compare it as a whole. */
  answer(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): StreamableFile {
    const body = Readable.from(chunks, { objectMode: false });
    const closed = new Promise<void>((resolve) => {
      finished(body, () => {
        this.open.delete(body);
        resolve();
      });
    });
    this.open.set(body, closed);
    return new StreamableFile(body, { type: AG_UI_PROTO_TYPE });
  }

  /** The tails of all runs have ended by now; what is left is to be read. */
  async beforeApplicationShutdown(): Promise<void> {
    const stuck = setTimeout(() => {
      for (const body of this.open.keys()) body.destroy();
    }, LAST_BYTES_MS);
    await Promise.all(this.open.values());
    clearTimeout(stuck);
  }
}
