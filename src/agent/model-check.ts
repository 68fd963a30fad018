import { AppError, type JsonObject } from '../common/index.js';
import type { Usage } from '../events/index.js';
import type { ToolDeclaration } from './tools/index.js';
import {
  type ModelClient,
  type ModelEvent,
  type ModelMessage,
  type ModelOptions,
  type ModelToolCall,
  RequestBudget,
} from './ports/model-client.js';

/** What was tried with a model, and how it went. */
export interface ModelCheck {
  /** What was tried. */
  readonly name: 'text' | 'tool' | 'tool result' | 'JSON' | 'limit' | 'image';
  /** `unsupported`: the server says that the model cannot do it; `skipped`: not tried. */
  readonly outcome: 'works' | 'failed' | 'unsupported' | 'skipped';
  /** Why it does not work, or what was odd, in one sentence. */
  readonly note?: string;
}

/** The result of trying a model. */
export interface ModelReport {
  readonly checks: readonly ModelCheck[];
  /** Tokens of all calls; those that the server does not tell are not counted. */
  readonly usage: { readonly input: number; readonly output: number };
  /** Requests that were made, those of repairs included. */
  readonly requests: number;
}

/** Requests that all checks make together at most, those of repairs included. */
const MOST_REQUESTS = 8;
/** How long one check may take. */
const CHECK_MS = 60_000;

const WORD = 'Answer with the word: ready';

const TOOL: ToolDeclaration = {
  name: 'get_temperature',
  description: 'The temperature of a city, in degrees Celsius.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'The name of the city.' } },
    required: ['city'],
    additionalProperties: false,
  },
};

const SCHEMA: JsonObject = {
  type: 'object',
  properties: { answer: { type: 'integer' } },
  required: ['answer'],
  additionalProperties: false,
};

/** A red square. */
const RED =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKUlEQVR4nO3NMQ0AAAzDsPLHODAj0X6Wcse5ZNr2DgAAAAAAAAAAAIo9tPVwLraRYtkAAAAASUVORK5CYII=';

/** The answer to one call. */
interface Answer {
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  readonly replay: JsonObject | undefined;
  readonly finish: string;
}

/**
 * Tries a model with a few small requests: a text, a tool, a second turn with the result and with what the provider wants
 * back, JSON by a schema, a limit of tokens, an image. What the server refuses is repaired as in a run; nothing is retried.
 *
 * @param signal ends the trial: what was not tried is missing
 */
export async function checkModel(client: ModelClient, signal?: AbortSignal): Promise<ModelReport> {
  return new ModelTrial(client, signal).run();
}

/**
 * Asks a model for a word with one request, and ends it when the answer begins.
 *
 * @throws AppError MODEL_* if no answer begins; the signal's reason
 */
export async function tryModel(client: ModelClient, signal: AbortSignal): Promise<void> {
  const request = { messages: [user(WORD)], tools: [], options: {}, budget: new RequestBudget(0) };
  const batches = client.stream(request, signal)[Symbol.asyncIterator]();
  try {
    await batches.next();
  } finally {
    await batches.return?.();
  }
}

class ModelTrial {
  private readonly checks: ModelCheck[] = [];
  private readonly usage = { input: 0, output: 0 };
  private readonly budget = new RequestBudget(MOST_REQUESTS);

  constructor(
    private readonly client: ModelClient,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async run(): Promise<ModelReport> {
    await this.check('text', async () => {
      const { text } = await this.ask([user(WORD)]);
      return text === '' ? 'the answer is empty' : undefined;
    });
    if (this.checks[0]?.outcome === 'works') await this.abilities();
    return { checks: this.checks, usage: this.usage, requests: MOST_REQUESTS - this.budget.left };
  }

  private async abilities(): Promise<void> {
    const question = user('What is the temperature in Paris? Use the tool.');
    let asked: Answer | undefined;
    await this.check('tool', async () => {
      asked = await this.ask([question], [TOOL]);
      return asked.calls.length === 0 ? 'the model did not call the tool' : undefined;
    });
    const made = asked;
    if (made && made.calls.length > 0) {
      await this.check('tool result', async () => {
        const { text } = await this.ask(conversation(question, made), [TOOL]);
        return /21/.test(text) ? undefined : 'the answer does not have the result';
      });
    }
    await this.check('JSON', async () => {
      const responseFormat = { type: 'json_schema', name: 'sum', schema: SCHEMA, strict: true } as const;
      const { text } = await this.ask([user('What is 2 + 3? Answer as JSON.')], [], { responseFormat });
      return isAnswer(text) ? undefined : 'the answer is not JSON of the schema';
    });
    await this.check('limit', async () => {
      const { finish, text } = await this.ask([user('Count from 1 to 100, one number in a line.')], [], {
        maxTokens: 16,
      });
      return finish === 'length' || text.length < 200 ? undefined : 'the limit has no effect';
    });
    await this.check('image', async () => {
      const image: ModelMessage = {
        role: 'user',
        content: [
          { type: 'text', text: 'Which color has this square? Answer with one word.' },
          { type: 'image', url: RED },
        ],
      };
      const { text } = await this.ask([image]);
      return /red|rouge|rot|红/i.test(text) ? undefined : 'the model does not see the image';
    });
  }

  private async check(name: ModelCheck['name'], work: () => Promise<string | undefined>): Promise<void> {
    if (this.signal?.aborted) return;
    if (this.budget.left === 0) {
      this.checks.push({ name, outcome: 'skipped', note: `${MOST_REQUESTS} requests were made` });
      return;
    }
    try {
      const note = await work();
      const odd = name === 'image' ? 'unsupported' : 'failed';
      this.checks.push(note === undefined ? { name, outcome: 'works' } : { name, outcome: odd, note });
    } catch (error) {
      this.checks.push({ name, outcome: name === 'image' ? 'unsupported' : 'failed', note: sentenceOf(error) });
    }
  }

  private async ask(
    messages: readonly ModelMessage[],
    tools: readonly ToolDeclaration[] = [],
    options: ModelOptions = {},
  ): Promise<Answer> {
    const { budget } = this;
    budget.take();
    const events: ModelEvent[] = [];
    const signal = AbortSignal.any([AbortSignal.timeout(CHECK_MS), ...(this.signal ? [this.signal] : [])]);
    for await (const batch of this.client.stream({ messages, tools, options, budget }, signal)) events.push(...batch);
    const answer = answerOf(events);
    const usage = events.find((event) => event.type === 'finish')?.usage;
    this.count(usage ?? null);
    return answer;
  }

  private count(usage: Usage | null): void {
    this.usage.input += usage?.input_tokens ?? 0;
    this.usage.output += usage?.output_tokens ?? 0;
  }
}

function user(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function conversation(question: ModelMessage, { text, calls, replay }: Answer): readonly ModelMessage[] {
  const results = calls.map(({ id, name }): ModelMessage => ({ role: 'tool', callId: id, name, content: '21' }));
  return [question, { role: 'assistant', content: text, toolCalls: calls, ...(replay && { replay }) }, ...results];
}

function answerOf(events: readonly ModelEvent[]): Answer {
  const calls: { id: string; name: string; arguments: string }[] = [];
  let text = '';
  let finish = '';
  let replay: JsonObject | undefined;
  for (const event of events) {
    if (event.type === 'text-delta') text += event.text;
    if (event.type === 'finish') ({ reason: finish, replay } = event);
    if (event.type !== 'tool-call-delta') continue;
    const made = (calls[event.index] ??= {
      id: event.id ?? `call_${event.index}`,
      name: event.name ?? '',
      arguments: '',
    });
    made.arguments += event.argumentsDelta;
  }
  return { text, calls: calls.filter(Boolean), finish, replay };
}

function isAnswer(text: string): boolean {
  try {
    const value = JSON.parse(text.replace(/^```(?:json)?|```$/gm, '')) as { answer?: unknown } | null;
    return value?.answer === 5;
  } catch {
    return false;
  }
}

/** The catalogue's sentence, and the server's own words behind it: whoever runs the check owns the server. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof AppError)) return error instanceof Error ? error.message : String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== ''
    ? `${error.message}: ${cause.message.slice(0, 300)}`
    : error.message;
}
