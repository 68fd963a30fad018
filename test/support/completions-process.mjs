// The AI SDK over @ai-sdk/openai-compatible in a process of its own, driven over stdin and stdout by lines of JSON: one
// pair of their versions, with whatever Node they need.
import { createInterface } from 'node:readline';

/** @type {any} */
const sdk = await import(String(process.argv[2]));
/** @type {any} */
const { createOpenAICompatible } = await import(String(process.argv[3]));

/** Each answer to this client, in order. @type {{ status: number, at: number, retryAfter: string | null }[]} */
let answers = [];

/** @type {typeof fetch} */
const noting = async (url, init) => {
  const answer = await fetch(url, init);
  answers.push({ status: answer.status, at: Date.now(), retryAfter: answer.headers.get('retry-after') });
  return answer;
};

/** @param {any} options */
function call({ baseURL, apiKey, prompt, places, approves, schema, ...options }) {
  const provider = createOpenAICompatible({
    name: 'parley',
    baseURL,
    ...(apiKey && { apiKey }),
    includeUsage: true,
    supportsStructuredOutputs: true,
    fetch: noting,
  });
  const show_map = sdk.tool({
    description: 'Shows a place.',
    inputSchema: sdk.jsonSchema({ type: 'object', properties: { place: { type: 'string' } }, required: ['place'] }),
    execute: (/** @type {any} */ { place }) => Promise.resolve(`${place} is shown`),
  });
  const request_approval = sdk.tool({
    description: 'Asks the user whether a tool may run.',
    inputSchema: sdk.jsonSchema({ type: 'object' }),
    execute: () => Promise.resolve({ approved: true }),
  });
  const tools = { ...(places && { show_map }), ...(approves && { request_approval }) };
  return {
    model: provider('worker'),
    prompt,
    ...((places || approves) && { tools, stopWhen: sdk.stepCountIs(3) }),
    ...(schema && { output: sdk.Output.object({ schema: sdk.jsonSchema(schema) }) }),
    ...options,
  };
}

/** What an application can know of an error. @param {any} error */
function told(error) {
  const last = sdk.RetryError.isInstance(error) ? error.lastError : error;
  return {
    isCallError: sdk.APICallError.isInstance(last),
    isRetryError: sdk.RetryError.isInstance(error),
    message: String(last?.message ?? last),
    status: last?.statusCode ?? null,
    isRetryable: last?.isRetryable ?? null,
    all: JSON.stringify(last),
  };
}

/** @type {Record<string, (args: any) => Promise<unknown>>} */
const OPS = {
  async generate(options) {
    answers = [];
    try {
      const made = await sdk.generateText(call(options));
      const { text, reasoningText = '', finishReason, usage, steps } = made;
      const output = options.schema ? made.output : null;
      return { text, reasoningText, finishReason, tokens: usage.totalTokens, steps: steps.length, output, answers };
    } catch (error) {
      return { error: told(error), answers };
    }
  },
  async stream({ leaves, ...options }) {
    answers = [];
    const leaving = new AbortController();
    /** @type {unknown[]} */
    const errors = [];
    /** @type {string[]} */
    const kinds = [];
    const streamed = sdk.streamText({
      ...call(options),
      abortSignal: leaving.signal,
      onError: (/** @type {any} */ { error }) => void errors.push(told(error)),
    });
    for await (const { type } of streamed.fullStream) {
      kinds.push(type);
      if (leaves && type === 'text-delta') leaving.abort();
    }
    if (leaves || errors.length > 0) return { kinds, errors, answers };
    const usage = await streamed.totalUsage;
    const [text, finishReason] = [await streamed.text, await streamed.finishReason];
    return { text, finishReason, tokens: usage.totalTokens, kinds, errors, answers };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { op, args = {} } = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await OPS[op]?.(args)) ?? null };
  } catch (error) {
    answer = { error: error instanceof Error ? String(error.stack) : String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
