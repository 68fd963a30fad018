import type { IncomingMessage, ServerResponse } from 'node:http';
import { LoopbackServer } from '../../../../test/support/loopback-server.js';

/** A request that a double got. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

/** Writes the answer to one request. */
export type Answer = (response: ServerResponse, request: SeenRequest) => void;

/** An upstream on loopback whose answers a test decides. */
export class UpstreamDouble extends LoopbackServer {
  readonly seen: SeenRequest[] = [];

  private constructor(private answer: Answer) {
    super();
  }

  static start(answer: Answer): Promise<UpstreamDouble> {
    return new UpstreamDouble(answer).listen();
  }

  /** The requests with this method. */
  of(method: string): readonly SeenRequest[] {
    return this.seen.filter((one) => one.method === method);
  }

  /** What it does with later requests. */
  answers(answer: Answer): void {
    this.answer = answer;
  }

  protected override handle(request: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
    const body = bytes.length === 0 ? {} : (JSON.parse(bytes.toString()) as Record<string, unknown>);
    const { method = '', url = '', headers } = request;
    const seen: SeenRequest = { method, path: url, headers, body };
    this.seen.push(seen);
    this.answer(response, seen);
  }
}

/** The beginning of an event stream. */
export function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

/** Events as they are framed. */
export function framed(events: readonly object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

/** A whole event stream whose events arrive one by one. */
export function paced(response: ServerResponse, events: readonly object[]): void {
  const [first, ...rest] = events;
  if (first === undefined) response.end();
  else response.write(framed([first]), () => setTimeout(() => paced(response, rest), 1));
}

/** A whole event stream. */
export function stream(response: ServerResponse, events: readonly object[]): void {
  openStream(response);
  response.end(framed(events));
}

/** The events of an answer of OpenAI Responses with these texts, each a message of its own, numbered from 0. */
export function responseEvents(id: string, texts: readonly (readonly string[])[]): Record<string, unknown>[] {
  const base = { id, object: 'response', model: 'upstream-model' };
  const items = texts.map((pieces, index) => ({
    id: `msg_${index}`,
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: pieces.join(''), annotations: [] }],
  }));
  const events: Record<string, unknown>[] = [
    { type: 'response.created', response: { ...base, status: 'queued', output: [] } },
    { type: 'response.in_progress', response: { ...base, status: 'in_progress', output: [] } },
    ...texts.flatMap((pieces, index) => [
      {
        type: 'response.output_item.added',
        output_index: index,
        item: { ...items[index], content: [], status: 'in_progress' },
      },
      ...pieces.map((delta) => ({
        type: 'response.output_text.delta',
        output_index: index,
        item_id: `msg_${index}`,
        content_index: 0,
        delta,
      })),
      { type: 'response.output_item.done', output_index: index, item: items[index] },
    ]),
    {
      type: 'response.completed',
      response: {
        ...base,
        status: 'completed',
        output: items,
        usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
      },
    },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

/** Answers as a server of OpenAI Responses that keeps the events of one answer. @param cutAfter events that the first stream sends */
export function keepingServer(events: readonly Record<string, unknown>[], cutAfter = Number.POSITIVE_INFINITY): Answer {
  let connections = 0;
  return (response, { method, path }) => {
    const url = new URL(path, 'http://double');
    if (method === 'POST' && url.pathname.endsWith('/cancel')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"cancelled"}');
      return;
    }
    const after = Number(url.searchParams.get('starting_after') ?? -1);
    const rest = events.filter((event) => (event['sequence_number'] as number) > after);
    connections += 1;
    openStream(response);
    if (connections > 1 || cutAfter >= rest.length) paced(response, rest);
    else response.write(framed(rest.slice(0, cutAfter)), () => setImmediate(() => response.destroy()));
  };
}
