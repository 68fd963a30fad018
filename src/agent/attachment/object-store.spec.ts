import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3_KEYS, S3Server } from '../../../test/support/s3-server.js';
import { signatureV4 } from '../../../test/support/sigv4.js';
import { LocalObjectStore } from './adapters/local-object-store.js';
import { S3ObjectStore, type S3Settings } from './adapters/s3-object-store.js';
import type { ObjectStore } from './ports/object-store.js';

const PATH = 'agent-inputs/default/~abc/2026/03/6f1c2a3e-9b1d-4c7e-8a53-0d2f5c1b7e90.png';

async function keepsObjects(store: ObjectStore): Promise<void> {
  expect(await store.get(PATH)).toBeUndefined();
  await store.put(PATH, Buffer.from([0, 1, 2, 255]), 'image/png', 'default');
  expect(await store.get(PATH)).toEqual(Buffer.from([0, 1, 2, 255]));
  await store.put(PATH, Buffer.from('again'), 'image/png', 'default');
  expect(await store.get(PATH)).toEqual(Buffer.from('again'));
  await store.remove(PATH);
  await store.remove(PATH);
  expect(await store.get(PATH)).toBeUndefined();
}

describe('LocalObjectStore', () => {
  it('objects are stored as files, and no temporary files remain', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-objects-'));
    const store = new LocalObjectStore(folder);
    await keepsObjects(store);
    await store.put(PATH, Buffer.from('x'));
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    expect(files.filter((file) => file.isFile()).map(({ name }) => name)).toEqual([PATH.split('/').at(-1)]);
    await expect(store.get('../secret')).rejects.toThrow('is outside the folder');
    await rm(folder, { recursive: true });
  });
});

describe('S3ObjectStore', () => {
  let bucket: S3Server;
  beforeEach(async () => (bucket = await S3Server.start()));
  afterEach(() => bucket.close());

  const store = (changes: Partial<S3Settings> = {}): S3ObjectStore =>
    new S3ObjectStore({
      bucket: 'files',
      region: 'eu-west-1',
      endpoint: bucket.url,
      credentials: Object.freeze({ ...S3_KEYS }),
      forcePathStyle: true,
      ...changes,
    });

  it('objects are stored in a bucket by correctly signed requests', async () => {
    const objects = store();
    await keepsObjects(objects);
    await objects.put(PATH, Buffer.from('x'), 'image/png');
    expect([...bucket.objects]).toEqual([[PATH, { bytes: Buffer.from('x'), type: 'image/png' }]]);
    const odd = "agent-inputs/ä b/+%20&=/~(1)*!'.png";
    await objects.put(odd, Buffer.from('odd'), 'image/png');
    expect(await objects.get(odd)).toEqual(Buffer.from('odd'));
    expect(new Set(bucket.refusals)).toEqual(new Set(['NoSuchKey']));
    await objects.close();
  });

  it.each<[string, Partial<S3Settings>]>([
    ['SignatureDoesNotMatch', { credentials: { ...S3_KEYS, secretAccessKey: 'another' } }],
    ['InvalidAccessKeyId', { credentials: { ...S3_KEYS, accessKeyId: 'another' } }],
    ['AuthorizationHeaderMalformed', { region: 'us-east-1' }],
    ['NoSuchBucket', { bucket: 'other' }],
  ])('wrong settings are reported as %s, not as a missing object', async (code, settings) => {
    const objects = store(settings);
    await expect(objects.put(PATH, Buffer.from('x'), 'image/png')).rejects.toMatchObject({ name: code });
    await expect(objects.get(PATH)).rejects.toMatchObject({ name: code });
    await expect(objects.remove(PATH)).rejects.toMatchObject({ name: code });
    expect(new Set(bucket.refusals)).toEqual(new Set([code]));
    expect(bucket.objects.size).toBe(0);
    await objects.close();
  });
});

describe('the S3 server of the tests', () => {
  it('the signature of the published example is computed', () => {
    const headers = {
      host: 'examplebucket.s3.amazonaws.com',
      range: 'bytes=0-9',
      'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      'x-amz-date': '20130524T000000Z',
    };
    const scope = { day: '20130524', region: 'us-east-1', service: 's3' };
    const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
    const request = { method: 'GET', target: '/test.txt', headers };
    expect(signatureV4(request, Object.keys(headers), scope, secret)).toBe(
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    );
  });

  it('unsigned requests are refused', async () => {
    const bucket = await S3Server.start();
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await fetch(`${bucket.url}/files/x`, { method })).status).toBe(403);
    }
    await bucket.close();
  });
});
