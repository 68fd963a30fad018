import { AppError, type ErrorCode, type JsonObject } from '../../../common/index.js';
import {
  ChatCompletionsModelClient,
  type ChatCompletionsSettings,
} from '../chat-completions/chat-completions-model-client.js';
import { originOf } from '../chat-completions/model-address.js';
import { PROVIDER_STATE_KEY } from '../chat-completions/provider-state.js';
import { rawUpstream, type RawUpstream, type Script } from './raw-upstream.js';

/** The key that must never show. */
export const KEY = 'sk-very-secret-key';
/** The model of clients for which none is given. */
export const MODEL = 'demo';
/** The waits between attempts that were asked for, in milliseconds; nothing really waits. */
export const waits: number[] = [];

/** A client of an upstream with two retries and patience for five seconds. @param log takes its lines about the form of requests @param logFailure takes those about failed calls */
export function clientFor(
  baseUrl: string,
  settings: Partial<ChatCompletionsSettings> = {},
  log: (line: string) => void = () => undefined,
  logFailure: (line: string) => void = () => undefined,
): ChatCompletionsModelClient {
  return new ChatCompletionsModelClient(
    {
      provider: 'test',
      baseUrl,
      apiKey: KEY,
      model: MODEL,
      firstTokenTimeoutMs: 5_000,
      idleTimeoutMs: 5_000,
      maxRetries: 2,
      ...settings,
    },
    { read: () => Promise.resolve(undefined) },
    { delay: async (ms) => void waits.push(ms), random: () => 0.5, log, logFailure },
  );
}

/** For the top of a spec: starts an upstream, which is closed after the test. Each test begins without `waits`. */
export function upstreamOfEachTest(): (...scripts: readonly Script[]) => Promise<RawUpstream> {
  let upstream: RawUpstream | undefined;
  beforeEach(() => {
    waits.length = 0;
  });
  afterEach(async () => {
    await upstream?.close();
    upstream = undefined;
  });
  return async (...scripts) => (upstream = await rawUpstream(...scripts));
}

/** The `replay` of an answer of the upstream at this address, with this state. @param model that of the request */
export function stateOf(url: string, state: JsonObject, model = MODEL): JsonObject {
  return { [PROVIDER_STATE_KEY]: { origin: originOf(new URL(url), model), ...state } };
}

/** Expects an error of this code whose sentence shows neither key nor upstream words. */
export function expectError(error: unknown, code: ErrorCode): AppError {
  expect(error).toBeInstanceOf(AppError);
  expect((error as AppError).code).toBe(code);
  expect((error as AppError).message).not.toMatch(/sk-|upstream words/);
  return error as AppError;
}
