import { connect, type Socket } from 'node:net';

/** Who reads one response. */
export interface ResponseReader {
  /** The status line and the headers, in lower case. */
  head(status: number, headers: string): void;
  /** The next part of the body, in the parts in which the server wrote its chunks. */
  body(text: string): void;
}

const HEAD_END = '\r\n\r\n';

type State = 'head' | 'size' | 'data' | 'gap' | 'trailer';

/**
 * An HTTP/1.1 connection on a socket, one request at a time. It knows what the servers of the benchmark send
 * and no more, so that reading costs little beside them: text is read as Latin-1, and the pieces are ASCII.
 */
export class HttpConnection {
  private readonly socket: Socket;
  private rest = '';
  private state: State = 'head';
  private needed = 0;
  private chunked = false;
  private reader: ResponseReader | undefined;
  private settle: { resolve: () => void; reject: (error: Error) => void } | undefined;

  constructor(private readonly port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text: string) => this.read(text));
    this.socket.on('error', (error) => this.fail(error));
    this.socket.on('close', () => this.fail(new Error(`the connection was closed; state ${this.state}; ${this.rest}`)));
  }

  /**
   * Sends a request and reads its response to the end.
   *
   * @param body JSON; without it the request is a GET
   * @throws Error if the connection ends before the response, or has ended already
   */
  request(path: string, body: string | undefined, headers: string, reader: ResponseReader): Promise<void> {
    const method = body === undefined ? 'GET' : 'POST';
    const content =
      body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
    if (this.socket.destroyed) return Promise.reject(new Error('the connection has ended'));
    this.reader = reader;
    this.state = 'head';
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.socket.write(
        `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${this.port}\r\n${headers}${content}\r\n${body ?? ''}`,
      );
    });
  }

  /** Cuts the connection. A response that is being read is given up without an error. */
  destroy(): void {
    this.settle?.resolve();
    this.settle = undefined;
    this.reader = undefined;
    this.socket.destroy();
  }

  private fail(error: Error): void {
    this.settle?.reject(error);
    this.settle = undefined;
  }

  private read(received: string): void {
    const text = this.rest === '' ? received : this.rest + received;
    let at = 0;
    try {
      while (this.reader !== undefined) {
        const next = this.step(text, at);
        if (next < 0) break;
        at = next;
      }
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)));
      this.socket.destroy();
    }
    this.rest = at === text.length ? '' : text.slice(at);
  }

  /** Reads one element of the response; returns where the next begins, or -1 if it has not arrived. */
  private step(text: string, at: number): number {
    switch (this.state) {
      case 'head':
        return this.readHead(text, at);
      case 'size':
        return this.readSize(text, at);
      case 'data':
        return this.readData(text, at);
      case 'gap':
      case 'trailer': {
        if (text.length < at + 2) return -1;
        if (this.state === 'trailer') this.finish();
        else this.state = 'size';
        return at + 2;
      }
    }
  }

  private readHead(text: string, at: number): number {
    const end = text.indexOf(HEAD_END, at);
    if (end < 0) return -1;
    const head = text.slice(at, end).toLowerCase();
    this.chunked = head.includes('transfer-encoding: chunked');
    this.needed = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
    this.state = this.chunked ? 'size' : 'data';
    this.reader?.head(Number(head.slice(9, 12)), head);
    if (!this.chunked && this.needed === 0) this.finish();
    return end + HEAD_END.length;
  }

  private readSize(text: string, at: number): number {
    const end = text.indexOf('\r\n', at);
    if (end < 0) return -1;
    this.needed = parseInt(text.slice(at, end), 16);
    this.state = this.needed === 0 ? 'trailer' : 'data';
    return end + 2;
  }

  private readData(text: string, at: number): number {
    const end = Math.min(text.length, at + this.needed);
    if (end === at) return -1;
    this.needed -= end - at;
    this.reader?.body(text.slice(at, end));
    if (this.needed > 0) return end;
    if (this.chunked) this.state = 'gap';
    else this.finish();
    return end;
  }

  private finish(): void {
    const { settle } = this;
    this.state = 'head';
    this.reader = undefined;
    this.settle = undefined;
    settle?.resolve();
  }
}
