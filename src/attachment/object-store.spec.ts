import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalObjectStore } from './adapters/local-object-store.js';
import { S3ObjectStore } from './adapters/s3-object-store.js';
import type { ObjectStore } from './ports/object-store.js';

const PATH = 'agent-inputs/default/~abc/2026/03/6f1c2a3e-9b1d-4c7e-8a53-0d2f5c1b7e90.png';

/** The three calls of the S3 protocol that the store makes, over HTTP, in memory. */
class Bucket {
  readonly objects = new Map<string, { readonly bytes: Buffer; readonly type: string | undefined }>();
  readonly unsigned: string[] = [];
  private readonly server: Server = createServer((request, response) => {
    void readBody(request).then((bytes) => {
      const key = decodeURIComponent((request.url ?? '').split('?', 1)[0] ?? '');
      const signed = /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/eu-west-1\/s3\/aws4_request, SignedHeaders=/;
      if (!signed.test(request.headers.authorization ?? '')) this.unsigned.push(key);
      const found = this.objects.get(key);
      if (request.method === 'PUT') this.objects.set(key, { bytes, type: request.headers['content-type'] });
      if (request.method === 'DELETE') this.objects.delete(key);
      if (request.method === 'DELETE') response.writeHead(204).end();
      else if (request.method === 'PUT') response.writeHead(200, { etag: '"x"' }).end();
      else if (found) response.writeHead(200, { 'content-length': found.bytes.length }).end(found.bytes);
      else response.writeHead(404, { 'content-type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>');
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function keepsObjects(store: ObjectStore): Promise<void> {
  expect(await store.get(PATH)).toBeUndefined();
  await store.put(PATH, Buffer.from([0, 1, 2, 255]), 'image/png');
  expect(await store.get(PATH)).toEqual(Buffer.from([0, 1, 2, 255]));
  await store.put(PATH, Buffer.from('again'), 'image/png');
  expect(await store.get(PATH)).toEqual(Buffer.from('again'));
  await store.remove(PATH);
  await store.remove(PATH);
  expect(await store.get(PATH)).toBeUndefined();
}

describe('LocalObjectStore', () => {
  it('keeps objects as files, and no drafts of them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-objects-'));
    const store = new LocalObjectStore(folder);
    await keepsObjects(store);
    await store.put(PATH, Buffer.from('x'));
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    expect(files.filter((file) => file.isFile()).map(({ name }) => name)).toEqual([PATH.split('/').at(-1)]);
    await expect(store.get('../secret')).rejects.toThrow('leads out of the folder');
    await rm(folder, { recursive: true });
  });
});

describe('S3ObjectStore', () => {
  it('keeps objects in a bucket, with signed requests', async () => {
    const bucket = new Bucket();
    const store = new S3ObjectStore({
      bucket: 'files',
      region: 'eu-west-1',
      endpoint: await bucket.listen(),
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      forcePathStyle: true,
    });
    await keepsObjects(store);
    await store.put(PATH, Buffer.from('x'), 'image/png');
    expect([...bucket.objects]).toEqual([[`/files/${PATH}`, { bytes: Buffer.from('x'), type: 'image/png' }]]);
    expect(bucket.unsigned).toEqual([]);
    await store.close();
    await bucket.close();
    await expect(store.get(PATH)).rejects.toThrow();
  });
});
