import type { ServerResponse } from 'node:http';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { loopbackServer } from '../../../../test/support/loopback-server.js';

/** The body of a request, as JSON. */
export type NativeBody = Readonly<Record<string, unknown>>;

/** What an answer consists of, in the order in which it is sent. */
export type NativePart =
  | { readonly thought: string; readonly signature?: string }
  | { readonly text: string; readonly signature?: string }
  | { readonly call: string; readonly args: object; readonly id: string; readonly signature?: string };

/** One native API as its strict double knows it. */
export interface NativeDouble {
  /** A model of the provider's package that calls the double. */
  model(baseURL: string, name?: string): LanguageModelV3;
  /** Why a request is refused, in the words of the API; undefined if it is taken. */
  refusal(body: NativeBody, model: string): string | undefined;
  /** The body of a refusal. */
  refused(message: string): object;
  /** Streams an answer to its end. */
  answer(response: ServerResponse, parts: readonly NativePart[]): void;
}

/** A running double. */
export interface NativeDoubleServer {
  readonly url: string;
  readonly seen: readonly NativeBody[];
  /** The paths of all requests. */
  readonly paths: readonly string[];
  /** What was refused, and why. */
  readonly refusals: readonly string[];
  /** The next answers; without any, an answer is the text `ok`. */
  readonly answers: (readonly NativePart[])[];
  close(): Promise<void>;
}

/**
 * Starts a double on loopback.
 *
 * @param more a further rule of one test
 */
export async function nativeServer(
  double: NativeDouble,
  more: (body: NativeBody) => string | undefined = () => undefined,
): Promise<NativeDoubleServer> {
  const seen: NativeBody[] = [];
  const paths: string[] = [];
  const refusals: string[] = [];
  const answers: (readonly NativePart[])[] = [];
  const server = await loopbackServer(({ url: path = '' }, response, bytes) => {
    const body = JSON.parse(bytes.toString()) as NativeBody;
    seen.push(body);
    paths.push(path);
    const refusal = more(body) ?? double.refusal(body, modelOf(body, path));
    if (refusal === undefined) return double.answer(response, answers.shift() ?? [{ text: 'ok' }]);
    refusals.push(refusal);
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(double.refused(refusal)));
  });
  return { url: `${server.url}/v1`, seen, paths, refusals, answers, close: () => server.close() };
}

/** Google and Bedrock have the model in the path. */
function modelOf({ model }: NativeBody, path: string): string {
  if (typeof model === 'string') return model;
  return decodeURIComponent(/\/models?\/([^/:]+)/.exec(path)?.[1] ?? '');
}
