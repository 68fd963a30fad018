import { Duplex } from 'node:stream';
import * as zlib from 'node:zlib';
import {
  type BrotliOptions,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type ZlibOptions,
} from 'node:zlib';

/** A body that is cut is decoded up to where it was cut. */
const ZLIB: ZlibOptions = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI: BrotliOptions = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};
/** What Node.js has from 22.15 on; its types here are older. */
const { createZstdDecompress } = zlib as {
  readonly createZstdDecompress?: (options: { readonly flush: number; readonly finishFlush: number }) => Duplex;
};
const ZSTD_FLUSH = 1;
const LOW_NIBBLE = 0x0f;
/** The low half of the first byte in the zlib format; raw deflate does not begin with it. */
const DEFLATE_METHOD = 8;

/** More encodings of one body are refused: each can multiply its size. */
const MAX_ENCODINGS = 3;

/** What the decoded body is handed to. */
export interface DecodedBody {
  data(chunk: Buffer): void;
  end(): void;
  error(error: Error): void;
}

/** Decodes a body that a proxy or a server has compressed, although it was not asked to. */
export class ContentDecoding {
  /** The outermost encoding first. */
  private readonly stages: readonly Duplex[];

  /**
   * @param encoding the value of `Content-Encoding`: the names in the order in which they were applied
   * @throws Error for an encoding that is not known, or more than three
   */
  constructor(encoding: string, sink: DecodedBody) {
    const names = namesIn(encoding);
    if (names.length > MAX_ENCODINGS) throw new Error('The answer has too many content encodings');
    this.stages = names.reverse().map(decoderFor);
    this.stages.forEach((stage, index) => {
      stage.on('error', (error: Error) => sink.error(error));
      const next = this.stages[index + 1];
      if (next) stage.pipe(next);
    });
    this.last?.on('data', (chunk: Buffer) => sink.data(chunk)).on('end', () => sink.end());
  }

  /** False for a body that needs no decoding. */
  static isNeeded(encoding: string): boolean {
    return namesIn(encoding).length > 0;
  }

  write(chunk: Buffer): void {
    this.stages[0]?.write(chunk);
  }

  /** No more bytes come: what is held back is decoded, then the sink gets `end`. */
  end(): void {
    this.stages[0]?.end();
  }

  pause(): void {
    this.last?.pause();
  }

  resume(): void {
    this.last?.resume();
  }

  destroy(): void {
    for (const stage of this.stages) stage.destroy();
  }

  private get last(): Duplex | undefined {
    return this.stages.at(-1);
  }
}

function namesIn(encoding: string): string[] {
  const names = encoding.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity');
}

function decoderFor(name: string): Duplex {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(ZLIB);
    case 'deflate':
      return new Inflate();
    case 'br':
      return createBrotliDecompress(BROTLI);
    case 'zstd':
      if (createZstdDecompress) return createZstdDecompress({ flush: ZSTD_FLUSH, finishFlush: ZSTD_FLUSH });
      break;
  }
  throw new Error(`The answer has the content encoding ${JSON.stringify(name)}, which is not known`);
}

/** Decodes `deflate`, which some servers send without the header of the zlib format. */
class Inflate extends Duplex {
  private decoder: Duplex | undefined;

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.decoder ??= this.open(chunk);
    this.decoder.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.decoder) this.decoder.end();
    else this.push(null);
    done();
  }

  override _read(): void {
    this.decoder?.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.decoder?.destroy();
    done(error);
  }

  private open(chunk: Buffer): Duplex {
    const isZlib = ((chunk[0] ?? 0) & LOW_NIBBLE) === DEFLATE_METHOD;
    const decoder = isZlib ? createInflate(ZLIB) : createInflateRaw(ZLIB);
    decoder.on('data', (piece: Buffer) => {
      if (!this.push(piece)) decoder.pause();
    });
    decoder.on('end', () => this.push(null)).on('error', (error) => this.destroy(error));
    return decoder;
  }
}
