import { createHash, createHmac } from 'node:crypto';

/** A request as it is signed. */
export interface SignedRequest {
  readonly method: string;
  /** The path and the query as they were sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The scope of a signature, from its Credential. */
export interface SigningScope {
  /** `YYYYMMDD` */
  readonly day: string;
  readonly region: string;
  readonly service: string;
}

/** The AWS Signature Version 4 of a request, computed from the published description; S3 paths are not encoded twice. */
export function signatureV4(
  request: SignedRequest,
  signedHeaders: readonly string[],
  scope: SigningScope,
  secret: string,
): string {
  const { day, region, service } = scope;
  const hashed = createHash('sha256').update(canonicalRequest(request, signedHeaders)).digest('hex');
  const place = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headerOf(request, 'x-amz-date'), place, hashed].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, text).toString('hex');
}

function canonicalRequest(request: SignedRequest, signedHeaders: readonly string[]): string {
  const [path = '', query = ''] = request.target.split('?', 2);
  const headers = signedHeaders.map((name) => `${name}:${headerOf(request, name).trim().replace(/ +/g, ' ')}\n`);
  const parts = [request.method, path, canonicalQuery(query), headers.join(''), signedHeaders.join(';')];
  return [...parts, headerOf(request, 'x-amz-content-sha256')].join('\n');
}

/** Sorted by name, then by value, as they were encoded; a name without a value gets an empty one. */
function canonicalQuery(query: string): string {
  const pairs = query.split('&').filter((pair) => pair !== '');
  return pairs
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .sort()
    .join('&');
}

function headerOf({ headers }: SignedRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value ?? []).join(',');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
