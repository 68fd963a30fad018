import { createAnthropic } from '@ai-sdk/anthropic';
import { NoSuchModelError } from '@ai-sdk/provider';
import type { LanguageModelSource } from '../../ports/models.js';
import { failureOf, request } from '../testing/collect.js';
import { expectError } from '../testing/upstream-client.js';
import { AiSdkModelClient } from './ai-sdk-model-client.js';

const model = createAnthropic({ apiKey: 'k' })('claude-sonnet-4-5');
const clientOf = (source: LanguageModelSource): AiSdkModelClient =>
  new AiSdkModelClient(
    source,
    { firstTokenTimeoutMs: 5_000, idleTimeoutMs: 5_000, maxRetries: 2 },
    { read: () => Promise.resolve(undefined) },
    { logFailure: () => undefined },
  );
/** The error of a request that names a model which the function answers in this way. */
const errorOf = async (answer: () => unknown): Promise<unknown> => {
  const client = clientOf((name) => (name === undefined ? model : answer()) as typeof model);
  return (await failureOf(client, request('Hi', [], { model: 'other' }))).error;
};
const thrown = (error: Error) => (): never => {
  throw error;
};
const noSuchProvider = Object.assign(new Error('upstream words'), { name: 'AI_NoSuchProviderError' });

describe('functions that make the model of a request', () => {
  it.each([
    ['model', new NoSuchModelError({ modelId: 'other', modelType: 'languageModel' })],
    ['provider', noSuchProvider],
  ])('an unknown %s is reported', async (_, error) => {
    expect(expectError(await errorOf(thrown(error)), 'MODEL_NOT_FOUND').cause).toBe(error);
  });

  it.each<[string, () => unknown, string]>([
    ['throws', thrown(new Error('upstream words')), 'upstream words'],
    ['returns a model of another interface version', () => ({ ...model, specificationVersion: 'v2' }), 'needs v3'],
    ['returns nothing', () => undefined, 'needs v3'],
    ['returns a promise', () => Promise.resolve(model), 'not a promise'],
    ['returns a promise that rejects', () => Promise.reject(new Error('upstream words')), 'not a promise'],
  ])('a function that %s fails the call', async (_, answer, cause) => {
    const error = expectError(await errorOf(answer), 'MODEL_EXECUTION_FAILED');
    expect((error.cause as Error).message).toContain(cause);
  });

  it('a client is not made of a function that returns a promise', () => {
    expect(() => clientOf((() => Promise.reject(new Error('late'))) as never)).toThrow('not a promise');
  });
});
