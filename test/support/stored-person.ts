import { randomUUID } from 'node:crypto';
import { CalendarStore } from '../../src/samples/index.js';
import { type Attempt, SAY } from './foreign-requests.js';
import { png } from './images.js';
import type { TestServer } from './server.js';

/** Sends a request with a token. Returns the parsed answer. @throws if it is not a success */
export async function sent(
  server: TestServer,
  token: string,
  { method, path, body, headers = {} }: Attempt,
): Promise<unknown> {
  const answer = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await answer.text();
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return text === '' || !/^[{[]/.test(text) ? text : JSON.parse(text);
}

/** An image that was uploaded: its signed URL, and its bytes. */
export interface StoredImage {
  readonly url: string;
  readonly bytes: Buffer;
}

/**
 * Something of what a user stores with requests and tools: a message and a question on each wire, an image in a message,
 * settings, a calendar event and a schedule. The server has `SampleTools`, and a model that pays when it is told to.
 *
 * @param token one of `NAMED_USERS`
 * @param words in all content
 */
export async function storePerson(server: TestServer, token: string, words: string): Promise<StoredImage> {
  const [userId = '', tenantId = ''] = token.split('@');
  const send = (attempt: Attempt, as = token): Promise<unknown> => sent(server, as, attempt);
  for (const [wire, start] of Object.entries(SAY)) {
    // Threads of the Runs API are unique in the tenant.
    const session = wire === 'runs' ? randomUUID() : `session-${wire}`;
    await send({
      ...{ method: 'POST', path: '/v1/aibot/bots/worker/conversation' },
      body: { conversationId: session },
    });
    await send(start(session, randomUUID(), `I am ${words}`));
    await send(start(session, randomUUID(), `Pay ${words}`));
  }
  const bytes = png(2, 3, Math.random());
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), `${words}.png`);
  const headers = { authorization: `Bearer ${token}` };
  const uploaded = await fetch(`${server.url}/api/v1/agent/attachments`, { method: 'POST', headers, body: form });
  const { url } = (await uploaded.json()) as { url: string };
  const image = [
    { type: 'input_text', text: words },
    { type: 'input_image', image_url: url, detail: 'auto' },
  ];
  const input = [{ type: 'message', role: 'user', content: image }];
  await send({ method: 'POST', path: '/v1/responses', body: { model: 'worker', input } });
  await send({
    ...{ method: 'PUT', path: '/api/v1/users/me/settings' },
    body: { timezone: 'Europe/Berlin', locale: 'de-DE' },
  });
  const event = { id: randomUUID(), title: words, startsAt: 1, endsAt: 2, eventTimezone: 'UTC' };
  await server
    .get(CalendarStore)
    .add({ tenantId, userId }, randomUUID(), { ...event, location: words, notes: null }, Date.now());
  await send(
    {
      ...{ method: 'POST', path: '/api/v1/schedules' },
      body: { name: words, cron: '0 6 * * *', input: words },
    },
    `${token} schedules:write runs:write`,
  );
  return { url, bytes };
}
