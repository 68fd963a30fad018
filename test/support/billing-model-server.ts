import type { IncomingMessage, ServerResponse } from 'node:http';
import { LoopbackServer } from './loopback-server.js';

/** How a `BillingModelServer` answers. */
export interface BillingOptions {
  /** Tokens of each answer, unless the request allows fewer. */
  readonly output: number;
  /** Milliseconds before the answer. Default: 0. */
  readonly pauseMs?: number;
  /** Whether answers report their usage. Default: true. */
  readonly reports?: boolean;
}

/** What a model server would charge for. */
export interface Bill {
  calls: number;
  input: number;
  cached: number;
  output: number;
  reasoning: number;
}

/** A model server that counts what its answers cost: one word is one token. It keeps to `max_tokens`. */
export class BillingModelServer extends LoopbackServer {
  readonly bill: Bill = { calls: 0, input: 0, cached: 0, output: 0, reasoning: 0 };
  /** The limits of the requests; undefined for one without. */
  readonly limits: (number | undefined)[] = [];
  /** Answers that are being written, and the most of them at once. */
  open = 0;

  private constructor(readonly options: { -readonly [Name in keyof BillingOptions]: BillingOptions[Name] }) {
    super();
  }

  static start(options: BillingOptions): Promise<BillingModelServer> {
    return new BillingModelServer({ ...options }).listen();
  }

  /** The settings of a server that uses it. */
  get env(): Record<string, string> {
    return {
      LLM_BASE_URL: `${this.url}/v1`,
      LLM_API_KEY: 'k',
      LLM_MODEL: 'billed-model',
      LLM_START_CHECK: 'false',
      SAMPLES: 'off',
      DEFAULT_AGENT: 'worker',
    };
  }

  protected override async handle(_: IncomingMessage, response: ServerResponse, bytes: Buffer): Promise<void> {
    const text = bytes.toString();
    const body = JSON.parse(text) as { max_tokens?: number; max_completion_tokens?: number };
    const limit = body.max_completion_tokens ?? body.max_tokens;
    this.limits.push(limit);
    if (text.includes('please fail')) {
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
      return;
    }
    this.open += 1;
    const { output: wanted, pauseMs = 0, reports = true } = this.options;
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const output = Math.min(wanted, limit ?? wanted);
    const input = Math.ceil(text.length / 4);
    const [cached, reasoning] = [Math.floor(input / 3), Math.floor(output / 5)];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (value: object): void => {
      response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...value })}\n\n`);
    };
    send({ choices: [{ index: 0, delta: { content: 'word '.repeat(output) }, finish_reason: null }] });
    send({ choices: [{ index: 0, delta: {}, finish_reason: output < wanted ? 'length' : 'stop' }] });
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: reasoning },
    };
    if (reports) send({ choices: [], usage });
    response.end('data: [DONE]\n\n');
    this.open -= 1;
    this.bill.calls += 1;
    this.bill.input += input;
    this.bill.cached += cached;
    this.bill.output += output;
    this.bill.reasoning += reasoning;
  }
}
