import { createHmac } from 'node:crypto';
import { readSettings } from '../config/index.js';
import { PushHostSettings } from './push-hosts.settings.js';
import { pauseAfter } from './retry-plan.js';
import { webhookHeaders, webhookId } from './signature.js';

describe('the plan of attempts', () => {
  it('pauses longer each time, and ends after the ninth attempt', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempts) => pauseAfter(attempts, undefined, 0, 0));
    const seconds = [5, 30, 120, 900, 3600, 14_400, 43_200, 86_400];
    expect(pauses).toEqual([...seconds.map((one) => one * 1000), undefined]);
    expect(pauseAfter(1, undefined, 0, 1)).toBe(6000);
  });

  it.each([
    ['60', 60_000],
    ['1', 5000],
    ['999999', 86_400_000],
    ['Thu, 01 Jan 1970 00:02:00 GMT', 120_000],
    ['soon', 5000],
  ])('hears Retry-After: %s', (header, milliseconds) => {
    expect(pauseAfter(1, header, 0, 0)).toBe(milliseconds);
  });
});

describe('the signature of a request', () => {
  const secret = `whsec_${Buffer.from('secret').toString('base64')}`;

  it('is that of Standard Webhooks, with each secret that signs', () => {
    const headers = webhookHeaders('msg_1', '{}', 12_345, [secret, 'a token']);
    const mac = createHmac('sha256', 'secret').update('msg_1.12.{}').digest('base64');
    expect(headers).toEqual({ 'webhook-id': 'msg_1', 'webhook-timestamp': '12', 'webhook-signature': `v1,${mac}` });
    expect(webhookHeaders('msg_1', '{}', 0, ['a token', 'whsec_'])).not.toHaveProperty('webhook-signature');
  });

  it('names a request by what it is about alone', () => {
    expect(webhookId(['a', 1])).toBe(webhookId(['a', 1]));
    expect(webhookId(['a', 1])).not.toBe(webhookId(['a1']));
  });
});

describe('A2A_PUSH_HOSTS', () => {
  const permits = (hosts: string, url: string): boolean =>
    readSettings(PushHostSettings, { A2A_PUSH_HOSTS: hosts }).permits(new URL(url));

  it.each([
    ['example.org', 'https://example.org/x', true],
    ['example.org', 'https://example.org:8443/', false],
    ['example.org:8443', 'https://example.org:8443/', true],
    ['example.org:*', 'https://example.org:8443/', true],
    ['example.org', 'http://example.org/', false],
    ['example.org', 'https://a.example.org/', false],
    ['*.example.org', 'https://a.example.org/', true],
    ['*.example.org', 'https://example.org/', false],
    ['*.example.org', 'https://badexample.org/', false],
    ['*', 'https://anything.test/', true],
    ['*', 'http://anything.test/', false],
    ['http://127.0.0.1:*', 'http://127.0.0.1:9000/', true],
    ['http://127.0.0.1:*', 'https://127.0.0.1:9000/', false],
    ['http://[::1]:*', 'http://[::1]:9000/', true],
  ])('%s and %s: %s', (hosts, url, isPermitted) => {
    expect(permits(hosts, url)).toBe(isPermitted);
  });

  it.each([
    ['*', 'https://127.0.0.1/', false],
    ['*', 'https://localhost/', false],
    ['*:*', 'https://[::1]:9000/', false],
    ['localhost', 'https://localhost/', true],
    ['127.0.0.1', 'https://127.1/', true],
    ['*,http://127.0.0.1:*', 'https://127.0.0.1/', false],
    ['*,http://127.0.0.1:*', 'http://127.0.0.1:9000/', true],
    ['example.org', 'https://example.org/', false],
  ])('%s names %s of this machine: %s', (hosts, url, isNamed) => {
    expect(readSettings(PushHostSettings, { A2A_PUSH_HOSTS: hosts }).namesLoopback(new URL(url))).toBe(isNamed);
  });

  it.each(['http://example.org', 'https://a/b', 'a b', ',', 'ftp://a', '**'])('%s is refused', (hosts) => {
    expect(() => readSettings(PushHostSettings, { A2A_PUSH_HOSTS: hosts })).toThrow('A2A_PUSH_HOSTS');
  });
});
