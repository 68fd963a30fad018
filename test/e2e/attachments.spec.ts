import { createHash } from 'node:crypto';
import { AttachmentService, AttachmentExpiry, referenceOf } from '../../src/agent/attachment/index.js';
import { Database } from '../../src/database/index.js';
import { messageOf } from '../../src/events/index.js';
import { Runs } from '../../src/run/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { boxed, gif, jpeg, png, webp } from '../support/images.js';
import { ALICE, person, runRequest } from '../support/ledger.js';
import { startServer, type TestServer } from '../support/server.js';

interface Answer {
  readonly status: number;
  readonly body: { id: string; url: string; code: string; message: string } & Record<string, unknown>;
}

const BOB = person('bob');
type Body = string | FormData | Blob;

const DAY_MS = 86_400_000;
const UNKNOWN = [404, 'attachment_not_found'];

describeOnDatabases('attachments', (open) => {
  let server: TestServer;
  /** Milliseconds that the server's clock is ahead. */
  let ahead = 0;
  const realNow = Date.now.bind(Date);
  beforeAll(async () => {
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() + ahead);
    server = await startServer({ database: open, env: { ATTACHMENT_MAX_BYTES: '2000' } });
  });
  afterEach(() => (ahead = 0));
  afterAll(async () => {
    await server.close();
    jest.restoreAllMocks();
  });

  const post = async (body: Body | undefined, user = 'alice', headers?: Record<string, string>): Promise<Answer> => {
    const answer = await fetch(`${server.url}/api/v1/agent/attachments?user_id=${user}`, {
      method: 'POST',
      ...(body === undefined ? {} : { body }),
      ...(headers ? { headers } : {}),
    });
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  };
  const form = (bytes: Buffer, type = 'image/png', name = 'sketch.png', part = 'file'): FormData => {
    const data = new FormData();
    data.set(part, new Blob([new Uint8Array(bytes)], { type }), name);
    return data;
  };
  const upload = async (bytes = png(), user = 'alice'): Promise<Answer['body']> => (await post(form(bytes), user)).body;
  const service = (): AttachmentService => server.get(AttachmentService);
  const count = async (table: string): Promise<number> => {
    const rows = await server.get(Database).read.all<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`);
    return rows[0]?.n ?? -1;
  };
  const referenceTo = async (url: string, principal = ALICE): Promise<string> =>
    (await service().resolve(principal, url)) ?? 'none';
  const send = (sessionId: string, image: string, principal = ALICE) =>
    server.get(Runs).accept(
      runRequest({
        principal,
        sessionId,
        input: [messageOf({ id: 'm1', role: 'user' }, [{ type: 'image', image_url: image }])],
      }),
    );

  it('an attachment is stored, described and read by its signed URL', async () => {
    const bytes = png(10, 20);
    const { status, body } = await post(form(bytes, 'image/png', 'my *sketch* ü.png'));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      mimeType: 'image/png',
      filename: 'my sketch ü.png',
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(body.url).toMatch(
      new RegExp(`^${server.url}/api/v1/agent/attachments/${body.id}/content\\?exp=\\d+&kid=local&sig=[\\w-]{43}$`),
    );
    const read = await fetch(body.url);
    expect(read.status).toBe(200);
    expect(Buffer.from(await read.arrayBuffer())).toEqual(bytes);
    expect(read.headers.get('content-type')).toBe('image/png');
    expect(read.headers.get('x-content-type-options')).toBe('nosniff');
    expect(read.headers.get('content-disposition')).toBe(`inline; filename*=UTF-8''my%20sketch%20%C3%BC.png`);
    const age = /^private, max-age=(\d+)$/.exec(read.headers.get('cache-control') ?? '')?.[1];
    expect(Number(age)).toBeGreaterThan(3500);
    expect(Number(age)).toBeLessThanOrEqual(3600);
  });

  it.each<[string, Buffer, string, string]>([
    ['PNG', png(), 'image/png', 'image/png'],
    ['JPEG under its other name', jpeg(), 'image/jpg', 'image/jpeg'],
    ['GIF without a declared type', gif(), 'application/octet-stream', 'image/gif'],
    ['WebP', webp('VP8X'), 'image/webp', 'image/webp'],
    ['HEIC', boxed('heic'), 'image/heic', 'image/heic'],
    ['AVIF', boxed('avif'), 'image/avif', 'image/avif'],
  ])('an attachment may be %s', async (_, bytes, declared, mimeType) => {
    expect(await post(form(bytes, declared))).toMatchObject({ status: 201, body: { mimeType } });
  });

  it.each<[string, () => Body | undefined, number, string]>([
    ['SVG', () => form(Buffer.from('<svg/>'), 'image/svg+xml'), 415, 'unsupported_media_type'],
    ['a script declared as an image', () => form(Buffer.from('alert(1)')), 415, 'unsupported_media_type'],
    ['a file of another type than declared', () => form(jpeg(), 'image/png'), 415, 'unsupported_media_type'],
    ['an empty file', () => form(Buffer.alloc(0)), 422, 'attachment_empty'],
    ['a broken image', () => form(png(0, 0)), 422, 'attachment_invalid'],
    ['a huge picture', () => form(png(12_001, 10)), 422, 'attachment_invalid'],
    ['a file over the size limit', () => form(Buffer.concat([png(), Buffer.alloc(2000)])), 413, 'attachment_too_large'],
    [
      'a file far over the size limit',
      () => form(Buffer.concat([png(), Buffer.alloc(300_000)])),
      413,
      'attachment_too_large',
    ],
    ['a part of another name', () => form(png(), 'image/png', 'a.png', 'image'), 422, 'attachment_invalid'],
    ['no file', () => new FormData(), 422, 'attachment_invalid'],
    ['no body', () => undefined, 415, 'unsupported_media_type'],
    ['plain bytes', () => new Blob([new Uint8Array(png())], { type: 'image/png' }), 415, 'unsupported_media_type'],
  ])('%s is refused', async (_, body, status, code) => {
    const before = await count('attachments');
    expect(await post(body())).toMatchObject({ status, body: { code } });
    expect(await count('attachments')).toBe(before);
  });

  it('an upload is refused if its body is truncated or not multipart, or names no thread', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect(await post('--x\r\nnonsense', 'alice', headers)).toMatchObject({ status: 422 });
    expect(await post('{}', 'alice', { 'content-type': 'application/json' })).toMatchObject({ status: 415 });
    const data = form(png());
    data.set('threadId', 'no-uuid');
    expect(await post(data)).toMatchObject({ status: 422, body: { message: 'threadId must be a valid UUID' } });
  });

  it('an attachment of exactly the maximum size is accepted', async () => {
    const exact = Buffer.concat([png(), Buffer.alloc(2000 - png().length)]);
    expect((await post(form(exact))).status).toBe(201);
  });

  it('multipart bodies are refused by other routes', async () => {
    const answer = await fetch(`${server.url}/process`, { method: 'POST', body: form(png()) });
    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  it('an attachment is read with a valid signature only', async () => {
    const { id, url } = await upload();
    const changed = (name: string, value: string | null): string => {
      const address = new URL(url);
      if (value === null) address.searchParams.delete(name);
      else address.searchParams.set(name, value);
      return address.href;
    };
    const answers = async (address: string): Promise<unknown> => {
      const answer = await fetch(address);
      return [answer.status, ((await answer.json()) as Answer['body']).code];
    };
    const sig = new URL(url).searchParams.get('sig') ?? '';
    expect(
      await answers(
        changed(
          'sig',
          sig.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')),
        ),
      ),
    ).toEqual(UNKNOWN);
    expect(await answers(changed('sig', null))).toEqual(UNKNOWN);
    expect(await answers(changed('exp', '9999999999'))).toEqual(UNKNOWN);
    expect(await answers(changed('kid', 'other'))).toEqual(UNKNOWN);
    expect(await answers(changed('exp', null))).toEqual(UNKNOWN);
    expect(await answers(changed('exp', 'soon'))).toEqual(UNKNOWN);
    expect(await answers(url.replace(id, id.replace(/^./, 'f').replace(/.$/, '0')))).toEqual(UNKNOWN);
    expect(await answers(`${server.url}/api/v1/agent/attachments/..%2f..%2fetc/content`)).toEqual(UNKNOWN);
    ahead = 3_601_000;
    expect(await answers(url)).toEqual([403, 'signature_expired']);
  });

  it('a reference is found by an unexpired URL of its owner only, and no URL is fetched', async () => {
    const { url } = await upload();
    const attachments = service();
    const reference = await attachments.resolve(ALICE, url, 'IMAGE/png');
    expect(reference).toMatch(/^parley-attachment:agent-inputs\/default\/alice\/\d{4}\/\d\d\/[0-9a-f-]{36}\.png$/);
    expect(await attachments.resolve(BOB, url)).toBeUndefined();
    expect(await attachments.resolve({ tenantId: 'other', userId: 'alice' }, url)).toBeUndefined();
    expect(await attachments.resolve(ALICE, url, 'image/jpeg')).toBeUndefined();
    for (const other of [
      '',
      'no url',
      'https://example.org/a.png',
      reference ?? '',
      url.replace('http', 'ftp'),
      url.replace(/.$/, ''),
    ]) {
      expect(await attachments.resolve(ALICE, other)).toBeUndefined();
    }
    ahead = 3_601_000;
    expect(await attachments.resolve(ALICE, url)).toBeUndefined();
  });

  it('an attachment is signed again for its owner, and its bytes are read by reference', async () => {
    const { url } = await upload(png(7, 7));
    const reference = await referenceTo(url);
    const again = service().sign(ALICE, reference);
    expect(again).toMatchObject({ mimeType: 'image/png' });
    expect((await fetch(again?.url ?? '')).status).toBe(200);
    expect(service().sign(BOB, reference)).toBeUndefined();
    expect(service().sign(ALICE, 'https://example.org/a.png')).toBeUndefined();
    expect(await service().read(reference)).toEqual({ bytes: png(7, 7), mimeType: 'image/png' });
    expect(await service().read(reference.replace(/.{8}\.png/, '00000000.png'))).toBeUndefined();
  });

  it('an attachment that no message refers to is deleted after a day', async () => {
    const expiry = server.get(AttachmentExpiry);
    const { url, id } = await upload();
    const kept = await upload();
    await send('keeps', await referenceTo(kept.url));
    ahead = DAY_MS - 120_000;
    const early = service().sign(ALICE, await referenceTo((await upload()).url));
    expect(early).toBeDefined();
    await expiry.removeExpired();
    expect(await service().read(await referenceOfRow(id))).toBeDefined();
    ahead = DAY_MS + 120_000;
    expect((await fetch(url)).status).toBe(404);
    expect(await expiry.removeExpired()).toBeGreaterThan(0);
    expect(await service().read(await referenceOfRow(kept.id))).toBeDefined();
    expect(await referenceOfRow(id)).toBe('gone');
  });

  it('an attachment is deleted with the last session that refers to it', async () => {
    const { url, id } = await upload(png(4, 4));
    const reference = await referenceTo(url);
    await send('first', reference);
    await send('second', reference);
    const runs = server.get(Runs);
    await runs.removeSession(ALICE, 'first');
    expect((await fetch(url)).status).toBe(200);
    await runs.removeSession(ALICE, 'second');
    expect((await fetch(url)).status).toBe(404);
    ahead = 120_000;
    await server.get(AttachmentExpiry).removeExpired();
    expect(await service().read(reference)).toBeUndefined();
    expect(await referenceOfRow(id)).toBe('gone');
  });

  it('an attachment is kept for a fork of its session', async () => {
    const { url } = await upload(png(5, 5));
    const reference = await referenceTo(url);
    const runs = server.get(Runs);
    const first = await send('trunk', reference);
    for await (const _ of runs.tail(ALICE, first.run.runId)) void _;
    const second = await send('trunk', reference);
    for await (const _ of runs.tail(ALICE, second.run.runId)) void _;
    await runs.accept(runRequest({ principal: ALICE, sessionId: 'branch', after: first.run.runId }));
    await runs.removeSession(ALICE, 'trunk');
    expect((await fetch(url)).status).toBe(200);
    await runs.removeSession(ALICE, 'branch');
    expect((await fetch(url)).status).toBe(404);
  });

  it('a forged reference to the attachment of another user is refused and stores nothing', async () => {
    const reference = await referenceTo((await upload()).url);
    const before = [await count('runs'), await count('sessions')];
    const forged = [reference, referenceOf('agent-inputs/default/bob/../alice/x.png'), 'parley-attachment:/etc/passwd'];
    for (const image of forged) {
      await expect(send('stolen', image, BOB)).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
    }
    expect([await count('runs'), await count('sessions')]).toEqual(before);
  });

  const referenceOfRow = async (id: string): Promise<string> => {
    const rows = await server
      .get(Database)
      .read.all<{ path: string }>('SELECT path FROM attachments WHERE id = ?', [id]);
    return rows[0] ? referenceOf(rows[0].path) : 'gone';
  };
});
