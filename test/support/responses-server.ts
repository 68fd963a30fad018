import { LLMock } from '@copilotkit/aimock';
import OpenAI from 'openai';
import type { Extensions } from '../../src/app.module.js';
import { bootApp, type TestApp } from './test-app.js';

/** A server on a scripted model server, and official clients of it. */
export interface ResponsesServer {
  readonly app: TestApp;
  readonly upstream: LLMock;
  /** The base URL of clients. */
  readonly baseUrl: string;
  readonly client: OpenAI;
  close(): Promise<void>;
}

/** Boots the server; `script` tells the model server what to answer. */
export async function bootResponses(
  script: (upstream: LLMock) => void,
  env: NodeJS.ProcessEnv = {},
  extensions: Extensions = {},
): Promise<ResponsesServer> {
  const upstream = new LLMock({ port: 0, chunkSize: 5 });
  script(upstream);
  await upstream.start();
  const app = await bootApp({ LLM_BASE_URL: `${upstream.url}/v1`, LLM_MAX_RETRIES: '0', ...env }, extensions);
  const baseUrl = `${app.url}/compatible-mode/v1`;
  return {
    app,
    upstream,
    baseUrl,
    client: new OpenAI({ apiKey: 'any', baseURL: baseUrl, maxRetries: 0 }),
    close: async () => {
      await app.close();
      await upstream.stop();
    },
  };
}

/** A tool call the model makes when the user says `text`, and what it says when it has the result. */
export function toolScript(
  upstream: LLMock,
  text: string,
  toolCalls: { name: string; arguments: string; id: string }[],
  answer: string,
): void {
  upstream.on({ userMessage: text, hasToolResult: false }, { toolCalls });
  upstream.on({ userMessage: text, hasToolResult: true }, { content: answer });
}
