import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LoopbackServer } from './loopback-server.js';
import { signatureV4 } from './sigv4.js';

/** Who may use the store. */
export const S3_KEYS = { accessKeyId: 'AKIDTEST', secretAccessKey: 'a-secret/with+signs=' } as const;

const BUCKET = 'files';
const REGION = 'eu-west-1';
const MAX_SKEW_MS = 900_000;
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;

/** Why a request is refused: the status and the error code of S3. */
type Refusal = readonly [status: number, code: string];

/**
 * A store that speaks as much of the S3 protocol as ours needs, in memory: objects are put, got and
 * deleted in one bucket. Every request must carry a good AWS Signature Version 4 of its body too.
 */
export class S3Server extends LoopbackServer {
  /** By key; with the media type they were put with. */
  readonly objects = new Map<string, { readonly bytes: Buffer; readonly type: string | undefined }>();
  /** The codes of all refusals so far. */
  readonly refusals: string[] = [];

  static start(): Promise<S3Server> {
    return new S3Server().listen();
  }

  /** The environment of a server that keeps its attachments here. */
  get env(): Record<string, string> {
    return {
      ATTACHMENT_STORE: 's3',
      S3_BUCKET: BUCKET,
      S3_REGION: REGION,
      S3_ENDPOINT: this.url,
      S3_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
      S3_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey,
    };
  }

  protected override handle(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const [bucket, ...path] = decodeURIComponent((request.url ?? '').split('?', 1)[0] ?? '')
      .slice(1)
      .split('/');
    const refusal = refusalOf(request, body) ?? (bucket === BUCKET ? undefined : ([404, 'NoSuchBucket'] as const));
    if (refusal) this.refuse(response, refusal);
    else this.act(request, response, path.join('/'), body);
  }

  private act(request: IncomingMessage, response: ServerResponse, key: string, bytes: Buffer): void {
    const found = this.objects.get(key);
    if (request.method === 'PUT') {
      this.objects.set(key, { bytes, type: request.headers['content-type'] });
      response.writeHead(200, { etag: `"${sha256(bytes).slice(0, 32)}"` }).end();
    } else if (request.method === 'DELETE') {
      this.objects.delete(key);
      response.writeHead(204).end();
    } else if (found) {
      const headers = { 'content-length': found.bytes.length, ...(found.type && { 'content-type': found.type }) };
      response.writeHead(200, headers).end(found.bytes);
    } else {
      this.refuse(response, [404, 'NoSuchKey']);
    }
  }

  private refuse(response: ServerResponse, [status, code]: Refusal): void {
    this.refusals.push(code);
    const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
  }
}

/** What is wrong with a request's signature; undefined when it is good. */
function refusalOf({ method = '', url = '', headers }: IncomingMessage, body: Buffer): Refusal | undefined {
  const [, keyId, day = '', region = '', names = '', signature = ''] =
    AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  if (keyId === undefined) return [403, 'AccessDenied'];
  if (keyId !== S3_KEYS.accessKeyId) return [403, 'InvalidAccessKeyId'];
  if (region !== REGION) return [400, 'AuthorizationHeaderMalformed'];
  const signed = names.split(';');
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.includes(name)))
    return [403, 'AccessDenied'];
  const date = String(headers['x-amz-date']);
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!date.startsWith(day) || !(Math.abs(Date.now() - at) <= MAX_SKEW_MS)) return [403, 'RequestTimeTooSkewed'];
  const expected = signatureV4(
    { method, target: url, headers },
    signed,
    { day, region, service: 's3' },
    S3_KEYS.secretAccessKey,
  );
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(signature))) return [403, 'SignatureDoesNotMatch'];
  return headers['x-amz-content-sha256'] === sha256(body) ? undefined : [400, 'XAmzContentSHA256Mismatch'];
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
