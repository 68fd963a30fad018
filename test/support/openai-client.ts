import type { LLMock } from '@copilotkit/aimock';
import OpenAI from 'openai';
import type { TestServer } from './server.js';

/** The address that a client of the OpenAI SDK is given for a server. */
export function openaiUrl({ url }: TestServer): string {
  return `${url}/compatible-mode/v1`;
}

/** The official client of a server. */
export function openaiClient(server: TestServer): OpenAI {
  return new OpenAI({ apiKey: 'any', baseURL: openaiUrl(server), maxRetries: 0 });
}

/** Makes the model call tools when the user's message is `text`, and answer once it has their results. */
export function toolScript(
  modelServer: LLMock,
  text: string,
  toolCalls: { name: string; arguments: string; id: string }[],
  answer: string,
): void {
  modelServer.on({ userMessage: text, hasToolResult: false }, { toolCalls });
  modelServer.on({ userMessage: text, hasToolResult: true }, { content: answer });
}
