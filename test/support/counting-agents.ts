import type { IncomingMessage, ServerResponse } from 'node:http';
import { responseEvents } from '../../src/agent/adapters/testing/responses-double.js';
import { LoopbackServer } from './loopback-server.js';

type Event = Record<string, unknown>;

/** The texts of each answer. */
const TEXTS = Array.from({ length: 5 }, (_, message) => [
  `${message}a `,
  `${message}b `,
  `${message}c `,
  `${message}d.`,
]);
/** The same, as they are shown. */
export const WHOLE_TEXTS: readonly string[] = TEXTS.map((pieces) => pieces.join(''));
/** Between two events, in milliseconds. */
const PACE_MS = 15;

/** An answer that goes on whether anybody reads it or not. */
class KeptAnswer {
  private told = 0;
  private readonly readers = new Set<() => void>();

  constructor(private readonly events: readonly Event[]) {
    const timer = setInterval(() => {
      this.told += 1;
      for (const read of this.readers) read();
      if (this.told >= events.length) clearInterval(timer);
    }, PACE_MS);
  }

  /** Writes what comes behind an event, until the end or until the reader leaves. */
  follow(response: ServerResponse, after: number): void {
    let next = after + 1;
    const read = (): void => {
      for (; next < this.told; next += 1) response.write(framed(this.events[next] ?? {}));
      if (next < this.events.length) return;
      this.readers.delete(read);
      response.end();
    };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(':\n\n');
    this.readers.add(read);
    response.on('close', () => this.readers.delete(read));
    read();
  }
}

/**
 * Agents on loopback that count how often they are asked: one of OpenAI Responses that keeps its answers, and one of AG-UI
 * that ends its answer when nobody reads it.
 */
export class CountingAgents extends LoopbackServer {
  /** How often each question was asked, by its text. */
  readonly asked = new Map<string, number>();
  private readonly answers = new Map<string, KeptAnswer>();

  static start(): Promise<CountingAgents> {
    return new CountingAgents().listen();
  }

  protected override handle(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const url = new URL(request.url ?? '/', this.url);
    if (request.method === 'GET') {
      const [, id = ''] = /^\/responses\/([^/]+)$/.exec(url.pathname) ?? [];
      this.answers.get(id)?.follow(response, Number(url.searchParams.get('starting_after') ?? -1));
      if (!this.answers.has(id)) response.writeHead(404).end();
      return;
    }
    const text = questionIn(body.toString());
    this.asked.set(text, (this.asked.get(text) ?? 0) + 1);
    if (url.pathname === '/ag-ui') this.speak(response);
    else this.keep(response);
  }

  private keep(response: ServerResponse): void {
    const id = `resp_${this.answers.size}`;
    const answer = new KeptAnswer(responseEvents(id, TEXTS));
    this.answers.set(id, answer);
    answer.follow(response, -1);
  }

  private speak(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const events: Event[] = [
      { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
      ...TEXTS.flatMap((pieces, index) => [
        { type: 'TEXT_MESSAGE_START', messageId: `m${index}`, role: 'assistant' },
        ...pieces.map((delta) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: `m${index}`, delta })),
        { type: 'TEXT_MESSAGE_END', messageId: `m${index}` },
      ]),
      { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
    ];
    const timer = setInterval(() => {
      const event = events.shift();
      if (event) response.write(framed(event));
      if (events.length > 0) return;
      clearInterval(timer);
      response.end();
    }, PACE_MS);
    response.on('close', () => clearInterval(timer));
  }
}

function framed(event: Event): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** The text `question-…` in a request of any kind. */
function questionIn(body: string): string {
  return /question-[\w-]+/.exec(body)?.[0] ?? '';
}
