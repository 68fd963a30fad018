import type { ServerResponse } from 'node:http';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createGroq } from '@ai-sdk/groq';
import { createMistral } from '@ai-sdk/mistral';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { ModelMessage } from '../../ports/model-client.js';
import { collect, failureOf, request, user } from '../testing/collect.js';
import { geminiAnswer } from '../testing/provider-streams.js';
import { rawUpstream, type RawUpstream, type Script } from '../testing/raw-upstream.js';
import { expectError } from '../testing/upstream-client.js';
import { AiSdkModelClient } from './ai-sdk-model-client.js';

let upstream: RawUpstream;
afterEach(() => upstream.close());

const MODELS = {
  google: (baseURL: string): LanguageModelV3 => createGoogleGenerativeAI({ baseURL, apiKey: 'k' })('gemini-3-flash'),
  mistral: (baseURL: string): LanguageModelV3 => createMistral({ baseURL, apiKey: 'k' })('mistral-medium-latest'),
  groq: (baseURL: string): LanguageModelV3 => createGroq({ baseURL, apiKey: 'k' })('qwen/qwen3-32b'),
};

async function clientOf(api: keyof typeof MODELS, ...scripts: readonly Script[]): Promise<AiSdkModelClient> {
  upstream = await rawUpstream(...scripts);
  const settings = { firstTokenTimeoutMs: 5_000, idleTimeoutMs: 5_000, maxRetries: 2 };
  return new AiSdkModelClient(
    MODELS[api](upstream.url),
    settings,
    { read: () => Promise.resolve(undefined) },
    { delay: () => Promise.resolve(), logFailure: () => undefined },
  );
}

/** Chunks of Chat Completions with these choices, without an end of their own. */
function chunks(...choices: readonly object[]): Script {
  return (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const choice of choices) {
      const chunk = { id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta: {}, ...choice }] };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    }
    response.end();
  };
}

const said = (content: string): object => ({ delta: { role: 'assistant', content } });
const called = (text: string): object => ({
  delta: { tool_calls: [{ index: 0, id: 'abcdefghi', type: 'function', function: { name: 'look', arguments: text } }] },
});
const ended = (reason: string): object => ({ finish_reason: reason });
const OK = geminiAnswer([{ text: 'Well.' }]);

describe('the end of a native answer', () => {
  it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE'])(
    '%s before any text is tried once more',
    async (reason) => {
      const client = await clientOf('google', geminiAnswer([{ text: 'Hm.', thought: true }], reason), OK);
      expect((await collect(client, request('Hi'))).text).toBe('Well.');
      expect(upstream.seen).toHaveLength(2);
    },
  );

  it('MALFORMED_FUNCTION_CALL twice, or after a text, is a failure', async () => {
    const broken = geminiAnswer([{ text: '', thought: true }], 'MALFORMED_FUNCTION_CALL');
    const twice = await failureOf(await clientOf('google', broken), request('Hi'));
    expect(expectError(twice.error, 'MODEL_EXECUTION_FAILED').message).toBe(
      'The model made a call that cannot be read',
    );
    expect(upstream.seen).toHaveLength(2);
    await upstream.close();
    const late = await clientOf('google', geminiAnswer([{ text: 'I will look.' }], 'MALFORMED_FUNCTION_CALL'), OK);
    const { events } = await failureOf(late, request('Hi'));
    expect([events, upstream.seen.length]).toEqual([[{ type: 'text-delta', text: 'I will look.' }], 1]);
  });

  it('STOP without anything is tried once more, and stands if it comes again', async () => {
    const empty = geminiAnswer([{ text: '' }]);
    expect((await collect(await clientOf('google', empty, OK), request('Hi'))).text).toBe('Well.');
    await upstream.close();
    const made = await collect(await clientOf('google', empty), request('Hi'));
    expect([made.text, made.finish?.reason, upstream.seen.length]).toEqual(['', 'stop', 2]);
  });

  it('error of Mistral is a failure, and the partial text stays', async () => {
    const client = await clientOf('mistral', chunks(said('Half'), ended('error')));
    const { error, events } = await failureOf(client, request('Hi'));
    expectError(error, 'MODEL_EXECUTION_FAILED');
    expect(events).toEqual([{ type: 'text-delta', text: 'Half' }]);
  });

  it('without a reason is the end of a text and of a whole call, but not of half a call', async () => {
    const text = await collect(await clientOf('mistral', chunks(said('Whole.'))), request('Hi'));
    expect([text.text, text.finish?.reason]).toEqual(['Whole.', 'stop']);
    await upstream.close();
    const call = await collect(await clientOf('mistral', chunks(called('{"x":1}'))), request('Hi'));
    expect([call.calls.length, call.finish?.reason]).toEqual([1, 'tool-calls']);
    await upstream.close();
    const { error } = await failureOf(await clientOf('mistral', chunks(called('{"x":'))), request('Hi'));
    expect(expectError(error, 'MODEL_EXECUTION_FAILED').message).toBe('The answer of the model ended too early');
  });

  it('by a call that Groq cannot read is tried once more', async () => {
    const failed: Script = (response) => {
      const error = { message: 'Failed to call a function.', code: 'tool_use_failed', failed_generation: '<function' };
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    };
    const client = await clientOf('groq', failed, chunks(said('Well.'), ended('stop')));
    expect([(await collect(client, request('Hi'))).text, upstream.seen.length]).toEqual(['Well.', 2]);
  });

  it('by the limit within a call is the limit', async () => {
    const made = await collect(await clientOf('mistral', chunks(called('{"x":'), ended('length'))), request('Hi'));
    expect(made.finish?.reason).toBe('length');
  });

  it('for calls without a call is an ordinary end', async () => {
    const made = await collect(await clientOf('mistral', chunks(said('So.'), ended('tool_calls'))), request('Hi'));
    expect(made.finish?.reason).toBe('stop');
  });
});

describe('the text of a native answer', () => {
  it('has no thoughts between tags, across any pieces, and they do not go back', async () => {
    const client = await clientOf(
      'groq',
      chunks(said('<th'), said('ink>\nHm.</thi'), said('nk>\n\nForty-'), said('two.'), ended('stop')),
    );
    const made = await collect(client, request('What?'));
    expect([made.reasoning.trim(), made.text]).toEqual(['Hm.', 'Forty-two.']);
    expect(JSON.stringify(made.finish?.replay ?? {})).not.toContain('think');
  });

  it('may speak of tags later', async () => {
    const client = await clientOf('groq', chunks(said('Use <think> '), said('and </think>.'), ended('stop')));
    expect((await collect(client, request('What?'))).text).toBe('Use <think> and </think>.');
  });

  it('has the images that the model made, also alone, and says which other files it made', async () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
    const shown = { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' };
    const made = await collect(await clientOf('google', geminiAnswer([{ text: 'Here:' }, image])), request('Draw'));
    expect([made.text, made.events.filter(({ type }) => type === 'image')]).toEqual(['Here:', [shown]]);
    await upstream.close();
    const alone = await collect(await clientOf('google', geminiAnswer([image])), request('Draw'));
    expect([alone.events[0], upstream.seen.length]).toEqual([shown, 1]);
    await upstream.close();
    const sound = { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } };
    const { text } = await collect(await clientOf('google', geminiAnswer([{ text: 'Here:' }, sound])), request('Sing'));
    expect(text).toBe('Here:\n\n[The model made a file of the type audio/wav, which cannot be shown here.]');
  });
});

describe('the sources of a native answer', () => {
  it('are told with the text', async () => {
    const web = { uri: 'https://a.example/', title: 'A page' };
    const script: Script = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const candidate = {
        content: { role: 'model', parts: [{ text: 'It is so.' }] },
        finishReason: 'STOP',
        groundingMetadata: { groundingChunks: [{ web }] },
      };
      response.end(`data: ${JSON.stringify({ candidates: [candidate] })}\n\n`);
    };
    const { events } = await collect(await clientOf('google', script), request('Is it so?'));
    expect(events).toContainEqual({ type: 'citation', url: web.uri, title: web.title });
  });
});

describe('thoughts to which nothing is attached', () => {
  it('go back to Mistral as its parts, also without calls', async () => {
    const thinking = { delta: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] } };
    const client = await clientOf('mistral', chunks(thinking, said('Yes.'), ended('stop')));
    const first = await collect(client, request('Hi'));
    const { replay } = first.finish ?? {};
    const answer: ModelMessage = { role: 'assistant', content: first.text, toolCalls: [], ...(replay && { replay }) };
    await collect(client, request([user('Hi'), answer, user('And?')]));
    const [, sent] = upstream.seen.at(-1)?.body['messages'] as [unknown, { content: unknown }];
    expect(sent.content).toMatchObject([
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Yes.' },
    ]);
  });
});
