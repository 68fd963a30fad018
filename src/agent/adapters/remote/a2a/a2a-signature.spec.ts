import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { FlattenedSign } from 'jose';
import { canonicalJson } from '../../../../common/index.js';
import { JsonEntry } from '../../../../config/index.js';
import { readRemoteEntry, type RemoteAgentConfig } from '../../../remote/remote-config.js';
import type { Ask } from '../remote-kind.js';
import { A2aProtocol } from './a2a-protocol.js';
import { signedCard } from './a2a-signature.js';

const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = (key: KeyObject, more: object = {}): JsonWebKey => ({ ...key.export({ format: 'jwk' }), ...more });
const KEY = jwk(EC.publicKey, { kid: 'k1' });

async function signatureOf(
  form: object,
  key: KeyObject | Uint8Array = EC.privateKey,
  header: object = {},
): Promise<object> {
  const sign = new FlattenedSign(new TextEncoder().encode(canonicalJson(form)));
  const { protected: text, signature } = await sign
    .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'JOSE', ...header })
    .sign(key);
  return { protected: text, signature };
}

const URL_OF_CARD = 'https://a.example/rpc';
const PURE = {
  name: 'a',
  supportedInterfaces: [{ url: URL_OF_CARD, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true },
  securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
};

describe('the signature of the card of a remote agent', () => {
  it.each([
    ['the card as it is', { ...PURE, description: '', capabilities: { streaming: false } }, undefined],
    ['the card without what is empty', { ...PURE, description: '', skills: [] }, PURE],
    [
      'the card without what is empty but false',
      { ...PURE, description: '', capabilities: { streaming: false } },
      { ...PURE, capabilities: { streaming: false } },
    ],
    [
      'the card without what is empty or false',
      { ...PURE, capabilities: { streaming: true, pushNotifications: false } },
      PURE,
    ],
  ])('may cover %s', async (_, card: object, form: object | undefined) => {
    const signatures = [await signatureOf(form ?? card)];
    expect(await signedCard({ ...card, signatures }, [KEY])).toEqual(form ?? card);
  });

  it('of a card for both versions covers the fields of 1.0, and the others do not count', async () => {
    const hybrid = {
      ...PURE,
      url: 'https://evil.example',
      preferredTransport: 'JSONRPC',
      protocolVersion: '0.3.0',
      security: [{ bearer: [] }],
      securitySchemes: { bearer: { type: 'http', scheme: 'Bearer', ...PURE.securitySchemes.bearer } },
    };
    expect(await signedCard({ ...hybrid, signatures: [await signatureOf(PURE)] }, [KEY])).toEqual(PURE);
  });

  it.each([
    ['of another key', () => signatureOf(PURE, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)],
    ['of another card', () => signatureOf({ ...PURE, name: 'b' })],
    ['that names another key', () => signatureOf(PURE, EC.privateKey, { kid: 'k2' })],
    ['made with a shared secret', () => signatureOf(PURE, Buffer.from(canonicalJson(KEY)), { alg: 'HS256' })],
    ['that is none', () => Promise.resolve({ protected: 'e30', signature: '' })],
    ['without a header', () => Promise.resolve({ signature: 'AA' })],
    ['of no algorithm', () => Promise.resolve({ protected: btoa('{"alg":"none"}'), signature: '' })],
  ])('%s does not hold', async (_, make: () => Promise<object>) => {
    expect(await signedCard({ ...PURE, signatures: [await make()] }, [KEY])).toBeUndefined();
    expect(await signedCard({ ...PURE, signatures: [await make(), await signatureOf(PURE)] }, [KEY])).toEqual(PURE);
  });

  it.each([
    ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['PS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['EdDSA', generateKeyPairSync('ed25519')],
  ])('may be of %s', async (alg, { publicKey, privateKey }) => {
    const signatures = [await signatureOf(PURE, privateKey, { alg })];
    expect(await signedCard({ ...PURE, signatures }, [KEY, jwk(publicKey)])).toEqual(PURE);
    expect(await signedCard({ ...PURE, signatures }, [KEY])).toBeUndefined();
  });

  it('is checked with the keys at an address, which are read again when they do not fit', async () => {
    const fields = { type: 'a2a', url: 'https://a.example', verify: 'https://keys.example/jwks.json' };
    const entry = new JsonEntry('travel', fields, {}, 'remote agent');
    const protocol = new A2aProtocol(readRemoteEntry(entry) as RemoteAgentConfig);
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    const next = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const asked: string[] = [];
    let [signing, keys]: [KeyObject, unknown] = [EC.privateKey, { keys: [KEY] }];
    const get: Ask = async ({ url, isPublic }) => {
      asked.push(`${url.host}${isPublic ? ' without credentials' : ''}`);
      return url.host === 'keys.example' ? keys : { ...PURE, signatures: [await signatureOf(PURE, signing)] };
    };
    const [card, set] = ['a.example', 'keys.example without credentials'];
    /** What is asked for when the card is read after so many minutes. */
    const after = async (minutes: number): Promise<string[]> => {
      clock.mockReturnValue(minutes * 60_000);
      await protocol.prepare(get);
      return asked.splice(0);
    };
    try {
      expect(await after(0)).toEqual([card, set]);
      expect(await after(6)).toEqual([card]);
      [signing, keys] = [next.privateKey, { keys: [KEY, jwk(next.publicKey, { kid: 'k1' })] }];
      expect(await after(12)).toEqual([card, set]);
      keys = { keys: [KEY] };
      await expect(after(30)).rejects.toMatchObject({ kind: 'protocol' });
      keys = { keys: 'none' };
      await expect(after(36)).rejects.toThrow('no JSON Web Key Set');
    } finally {
      clock.mockRestore();
    }
  });
});
