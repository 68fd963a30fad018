import { isPlainObject } from '../../../common/index.js';
import type { UpstreamHttp } from './upstream-http.js';

/** How long the list of models is waited for, in milliseconds. */
const LIMIT_MS = 2000;
/** The longest list that is read, in bytes. */
const LONGEST = 1024 * 1024;

/**
 * Who owns a model, as the server says in its list of models (contract model-servers, section 0).
 *
 * @param urls where the list may be: the first one with a list counts
 * @returns undefined if the server has no list, does not answer in two seconds, or does not say; never fails
 */
export async function ownerOf(
  http: UpstreamHttp,
  urls: readonly URL[],
  headers: Readonly<Record<string, string>>,
  model: string,
): Promise<string | undefined> {
  const until = Date.now() + LIMIT_MS;
  for (const url of urls) {
    const list = listIn(await listText(http, url, headers, until - Date.now()));
    if (list) return ownerIn(list, model);
  }
  return undefined;
}

/** The models of an answer; undefined if it is no list of models. */
function listIn(text: string): readonly unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    const data = isPlainObject(list) ? list['data'] : undefined;
    return Array.isArray(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** The body of a successful answer; empty for any other, and after the limit. */
function listText(
  http: UpstreamHttp,
  url: URL,
  headers: Readonly<Record<string, string>>,
  limitMs: number,
): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (text: string): void => {
      clearTimeout(timer);
      answer.abort(new Error('The list of models was read'));
      resolve(text);
    };
    const read = (): void => {
      for (const bytes of answer.read()) {
        chunks.push(bytes);
        length += bytes.length;
      }
      if (answer.error || length > LONGEST || (answer.status !== 0 && answer.status !== 200)) end('');
      else if (answer.isEnded) end(Buffer.concat(chunks).toString('utf8'));
    };
    const { 'content-type': _, accept: __, ...others } = headers;
    const answer = http.get(url, { ...others, accept: 'application/json' }, read);
    const timer = setTimeout(() => end(''), Math.max(0, limitMs));
  });
}

/** The owner of the model, or of the first one of the list. */
function ownerIn(models: readonly unknown[], model: string): string | undefined {
  const entries = models.filter(isPlainObject);
  const owner = (entries.find(({ id }) => id === model) ?? entries[0])?.['owned_by'];
  return typeof owner === 'string' ? owner : undefined;
}
