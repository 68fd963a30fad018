import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { z } from 'zod';
import { compactionSchema, eventSchema, responseSchema, socketErrorSchema, valid } from './open-responses-schema.js';
import { parseResponseFrames, ResponsesReader, type WireEvent } from './responses-reader.js';

/** A response that was checked. */
export type CheckedResponse = z.infer<typeof responseSchema>;

const HEADERS = { 'content-type': 'application/json', authorization: 'Bearer any' };

/** A client that accepts only what the Open Responses specification allows. */
export class OpenResponsesClient {
  private readonly connections: OpenResponsesConnection[] = [];

  /** @param url of `/responses` */
  constructor(private readonly url: string) {}

  async create(body: object): Promise<CheckedResponse> {
    const answer = await this.post('', { model: 'any_name', ...body });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    return valid(responseSchema, await answer.json());
  }

  /** The events of a streamed response, in an order that a strict reader follows. */
  async stream(body: object): Promise<{ types: readonly string[]; ended: CheckedResponse }> {
    const answer = await this.post('', { model: 'any_name', stream: true, ...body });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const { events, done } = parseResponseFrames(await answer.text());
    expect(done).toBe(true);
    const reader = new ResponsesReader();
    for (const event of events) reader.read(valid(eventSchema, event));
    return { types: reader.types, ended: valid(responseSchema, reader.ended) };
  }

  async compact(body: object): Promise<z.infer<typeof compactionSchema>> {
    const answer = await this.post('/compact', { model: 'any_name', ...body });
    return valid(compactionSchema, await answer.json());
  }

  post(path: string, body: object): Promise<Response> {
    return fetch(this.url + path, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
  }

  async connect(): Promise<OpenResponsesConnection> {
    const connection = await OpenResponsesConnection.open(this.url);
    this.connections.push(connection);
    return connection;
  }

  /** Breaks every connection. */
  close(): void {
    for (const { socket } of this.connections) socket.terminate();
  }
}

/** A connection whose messages are read one after the other. */
export class OpenResponsesConnection {
  private readonly messages: string[] = [];
  private wake = (): void => undefined;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.messages.push(data.toString());
      this.wake();
    });
    socket.on('close', () => this.wake());
  }

  static async open(url: string): Promise<OpenResponsesConnection> {
    const connection = new OpenResponsesConnection(new WebSocket(url.replace('http', 'ws'), { headers: HEADERS }));
    await once(connection.socket, 'open');
    return connection;
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  async next(): Promise<WireEvent> {
    while (this.messages.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
    return JSON.parse(this.messages.shift() ?? '') as WireEvent;
  }

  /** Sends a request and reads the events of its response to the end. */
  async create(body: object): Promise<CheckedResponse> {
    this.send({ type: 'response.create', model: 'any_name', ...body });
    const reader = new ResponsesReader();
    while (!reader.ended) reader.read(valid(eventSchema, await this.next()));
    return valid(responseSchema, reader.ended);
  }

  /** Sends a request that is refused. */
  async refusal(body: object): Promise<z.infer<typeof socketErrorSchema>> {
    this.send({ type: 'response.create', model: 'any_name', ...body });
    return valid(socketErrorSchema, await this.next());
  }
}
