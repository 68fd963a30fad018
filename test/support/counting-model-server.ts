import type { IncomingMessage, ServerResponse } from 'node:http';
import { LoopbackServer } from './loopback-server.js';

/** How a `CountingModelServer` answers. */
export interface CountingModelOptions {
  /** The tool that each run calls once, without arguments. */
  readonly tool: string;
  /** The pieces of each answer. */
  readonly pieces: number;
  /** Milliseconds between two pieces. */
  readonly pauseMs: number;
}

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
}

/**
 * A model server that counts its calls by the job that the user's message names (`job 17`). The first call of a job asks
 * for a tool, the second one answers.
 */
export class CountingModelServer extends LoopbackServer {
  /** How often each step of each job was asked for: `17 tool`, `17 answer`. */
  readonly calls = new Map<string, number>();

  private constructor(private readonly options: CountingModelOptions) {
    super();
    this.server.keepAliveTimeout = 60_000;
  }

  static start(options: CountingModelOptions): Promise<CountingModelServer> {
    return new CountingModelServer(options).listen();
  }

  /** For `LLM_BASE_URL`. */
  override get url(): string {
    return `${super.url}/v1`;
  }

  /** The answer to a job. */
  textOf(job: number): string {
    return this.piecesOf(job).join('');
  }

  private piecesOf(job: number): readonly string[] {
    return Array.from({ length: this.options.pieces }, (_, index) => `${job}.${index} `);
  }

  protected override async handle(_: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const { messages } = JSON.parse(body.toString()) as { readonly messages: readonly ChatMessage[] };
    const job = Number(/job (\d+)/.exec(JSON.stringify(messages.findLast(({ role }) => role === 'user')))?.[1]);
    const isTool = messages.at(-1)?.role !== 'tool';
    const key = `${job} ${isTool ? 'tool' : 'answer'}`;
    this.calls.set(key, (this.calls.get(key) ?? 0) + 1);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta: object, finish: string | null = null): void => {
      const choice = { index: 0, delta, finish_reason: finish };
      response.write(`data: ${JSON.stringify({ id: key, object: 'chat.completion.chunk', choices: [choice] })}\n\n`);
    };
    for (const content of isTool ? this.piecesOf(0) : this.piecesOf(job)) {
      send({ content });
      await new Promise((resolve) => setTimeout(resolve, this.options.pauseMs));
    }
    const call = {
      index: 0,
      id: `call_${job}`,
      type: 'function',
      function: { name: this.options.tool, arguments: '{}' },
    };
    send(isTool ? { tool_calls: [call] } : {}, isTool ? 'tool_calls' : 'stop');
    response.end('data: [DONE]\n\n');
  }
}
