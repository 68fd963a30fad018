import { join } from 'node:path';
import { ClientProcess } from './client-process.js';

/** A pair of versions of `ai` and of its provider for servers of Chat Completions. */
export interface CompletionsVersion {
  readonly title: string;
  readonly modules: readonly [ai: string, provider: string];
  readonly needsNode22: boolean;
}

const fileOf = (alias: string, file: string): string => join(__dirname, `../node_modules/${alias}/dist/${file}`);

/** Those that contract chat-completions, section F, names. */
export const COMPLETIONS_VERSIONS: readonly CompletionsVersion[] = [
  {
    title: '2 with ai 6',
    modules: [fileOf('ai', 'index.mjs'), fileOf('@ai-sdk/openai-compatible', 'index.mjs')],
    needsNode22: false,
  },
  {
    title: '3 with ai 7',
    modules: [fileOf('ai7', 'index.js'), fileOf('openai-compatible-3', 'index.js')],
    needsNode22: true,
  },
];

/** What an application can know of an error. */
export interface ToldError {
  readonly isCallError: boolean;
  readonly isRetryError: boolean;
  readonly message: string;
  readonly status: number | null;
  readonly isRetryable: boolean | null;
  /** The whole error as JSON. */
  readonly all: string;
}

/** An answer that the client got over HTTP. `at` is in milliseconds since 1970, `retryAfter` in seconds. */
export interface NotedAnswer {
  readonly status: number;
  readonly at: number;
  readonly retryAfter: string | null;
}

/** How a call is made. */
export interface CompletionsCall {
  readonly baseURL: string;
  readonly prompt: string;
  readonly apiKey?: string;
  /** Offers a tool of the client that shows places, for at most three steps. */
  readonly places?: boolean;
  /** Offers the tool `request_approval`, which always approves. */
  readonly approves?: boolean;
  /** A JSON schema that the answer has to match. */
  readonly schema?: object;
  readonly maxRetries?: number;
  /** Aborts at the first piece of text; for streams. */
  readonly leaves?: boolean;
}

/** What came of it: either an error or the rest. */
export interface CompletionsOutcome {
  readonly text?: string;
  readonly reasoningText?: string;
  readonly finishReason?: string;
  /** Of all steps. */
  readonly tokens?: number;
  readonly steps?: number;
  readonly output?: unknown;
  readonly error?: ToldError;
  /** The types of the parts of a stream, in order. */
  readonly kinds?: readonly string[];
  /** What `onError` of a stream was told. */
  readonly errors?: readonly ToldError[];
  readonly answers: readonly NotedAnswer[];
}

/** `generateText` and `streamText` over one pair of versions, with their defaults but for what is given. */
export class CompletionsClient {
  private constructor(private readonly client: ClientProcess) {}

  static async start({ modules, needsNode22 }: CompletionsVersion): Promise<CompletionsClient> {
    return new CompletionsClient(await ClientProcess.start('completions-process.mjs', modules, { needsNode22 }));
  }

  async generate(call: CompletionsCall): Promise<CompletionsOutcome> {
    return (await this.client.do('generate', call)) as CompletionsOutcome;
  }

  async stream(call: CompletionsCall): Promise<CompletionsOutcome> {
    return (await this.client.do('stream', call)) as CompletionsOutcome;
  }

  close(): void {
    this.client.close();
  }
}
