import { request } from 'node:http';
import { SseParser } from './sse.js';

/** How the connection of a client ended. */
export type Ending = 'clean' | 'cut';

/** The frames of an event stream as its client reads them, and how it ended. */
export class FrameReader {
  /** The data of each frame. */
  readonly frames: string[] = [];
  /** That of the header `X-Run-Id`. */
  runId = '';
  /** Undefined before the answer begins. */
  status: number | undefined;
  private readonly parser = new SseParser();
  private wake: () => void = () => undefined;
  private over = false;

  /** Aborted or complete: a body that ends with an error was cut. */
  readonly ended: Promise<Ending>;

  /** @param body given: it is posted as JSON */
  constructor(url: string, body?: object) {
    this.ended = new Promise((resolve) => {
      const end = (ending: Ending): void => {
        this.over = true;
        this.wake();
        resolve(ending);
      };
      const outgoing = request(
        url,
        { method: body ? 'POST' : 'GET', headers: { 'content-type': 'application/json' } },
        (response) => {
          this.status = response.statusCode;
          this.runId = String(response.headers['x-run-id'] ?? '');
          response.setEncoding('utf8');
          response.on('data', (text: string) => {
            for (const { data } of this.parser.push(text)) this.frames.push(data);
            this.wake();
          });
          response.once('end', () => end(response.complete ? 'clean' : 'cut'));
          response.once('error', () => end('cut'));
        },
      );
      outgoing.once('error', () => end('cut'));
      outgoing.end(body && JSON.stringify(body));
    });
  }

  /** Waits for so many frames, or for the end. */
  async until(frames: number): Promise<void> {
    while (this.frames.length < frames && !this.over) await new Promise<void>((resolve) => (this.wake = resolve));
  }
}
