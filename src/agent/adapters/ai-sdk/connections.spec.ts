import type { ServerResponse } from 'node:http';
import { createAnthropic } from '@ai-sdk/anthropic';
import { collect, request } from '../testing/collect.js';
import { anthropicAnswer } from '../testing/provider-streams.js';
import { rawUpstream, type RawUpstream, type Script } from '../testing/raw-upstream.js';
import { AiSdkModelClient } from './ai-sdk-model-client.js';

let upstream: RawUpstream;
afterEach(() => upstream.close());

async function clientOf(script: Script): Promise<AiSdkModelClient> {
  upstream = await rawUpstream(script);
  return new AiSdkModelClient(
    createAnthropic({ baseURL: upstream.url, apiKey: 'k' })('claude-sonnet-4-5'),
    { firstTokenTimeoutMs: 5_000, idleTimeoutMs: 5_000, maxRetries: 0 },
    { read: () => Promise.resolve(undefined) },
  );
}

/** Sends a whole answer; the test decides when its body ends. @returns what ends the body */
function withoutEnd(response: ServerResponse): () => Promise<void> {
  const end = response.end.bind(response);
  response.end = () => response;
  anthropicAnswer([{ text: 'ok' }])(response);
  return () => new Promise((resolve) => void end(resolve));
}

describe('connections of a provider of the AI SDK', () => {
  it('a connection is used again if the body ends after the last event', async () => {
    const ports = new Set<unknown>();
    let endBody = (): Promise<void> => Promise.resolve();
    const client = await clientOf((response) => {
      ports.add(response.socket?.remotePort);
      endBody = withoutEnd(response);
    });
    for (let call = 0; call < 6; call += 1) {
      expect((await collect(client, request('Hi'))).text).toBe('ok');
      await endBody();
    }
    // The end of a body may come when the next call has begun already.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('the connection is closed if the body does not end', async () => {
    const client = await clientOf((response) => void withoutEnd(response));
    expect((await collect(client, request('Hi'))).text).toBe('ok');
    await upstream.hungUp;
  });

  it('an abort after the last event does not fail the call', async () => {
    const client = await clientOf((response) => void withoutEnd(response));
    const controller = new AbortController();
    const stream = client.stream(request('Hi'), controller.signal);
    let last = await stream.next();
    while (!last.done && !last.value.some(({ type }) => type === 'finish')) last = await stream.next();
    await stream.return();
    controller.abort(new Error('cancelled'));
    await upstream.hungUp;
  });
});
