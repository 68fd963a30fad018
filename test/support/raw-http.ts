import { connect, type Socket } from 'node:net';

/** The chunks of a chunked HTTP answer, as they were framed on the wire. */
export class RawAnswer {
  bytes = Buffer.alloc(0);
  closed = false;

  constructor(readonly socket: Socket) {
    socket.on('data', (data) => (this.bytes = Buffer.concat([this.bytes, data])));
    socket.on('close', () => (this.closed = true));
    socket.on('error', () => undefined);
  }

  get head(): string {
    const text = this.bytes.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    return end < 0 ? '' : text.slice(0, end);
  }

  /** The complete chunks so far. */
  get chunks(): string[] {
    const chunks: string[] = [];
    let at = this.bytes.indexOf('\r\n\r\n') + 4;
    if (at < 4) return chunks;
    for (;;) {
      const lineEnd = this.bytes.indexOf('\r\n', at);
      if (lineEnd < 0) return chunks;
      const length = Number.parseInt(this.bytes.toString('latin1', at, lineEnd), 16);
      const end = lineEnd + 2 + length + 2;
      if (!(length > 0) || this.bytes.length < end) return chunks;
      chunks.push(this.bytes.toString('utf8', lineEnd + 2, end - 2));
      at = end;
    }
  }

  /** The last chunk has arrived. */
  get ended(): boolean {
    return this.bytes.toString('latin1').endsWith('\r\n0\r\n\r\n');
  }
}

/** Sends a request over a bare socket. */
export function rawRequest(
  port: number,
  method: string,
  path: string,
  body?: string | Buffer,
  headers: readonly string[] = [],
): RawAnswer {
  const socket = connect(port, '127.0.0.1');
  const answer = new RawAnswer(socket);
  const length =
    body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`];
  socket.write([`${method} ${path} HTTP/1.1`, 'host: localhost', ...length, ...headers, '', ''].join('\r\n'));
  if (body !== undefined) socket.write(body);
  return answer;
}
