import { generateKeyPair, SignJWT } from 'jose';
import { maskCredentials } from '../common/index.js';
import { newKey } from './api-keys/key-form.js';
import { TicketSigner } from './tickets/ticket-signer.js';

/** What is masked is what this server accepts. */
describe('the credentials that logs and errors mask', () => {
  it('API keys are', () => {
    expect(maskCredentials(`key ${newKey().text}.`)).toMatch(/^key \[secret\]/);
  });

  it('tickets are', () => {
    const identity = {
      tenantId: 'default',
      actor: { kind: 'user', id: 'ana' },
      userId: 'ana',
      scopes: ['runs:read'],
      roles: [],
      expiresAt: undefined,
    } as const;
    const signer = new TicketSigner([{ kid: 'k', secret: 's'.repeat(32) }]);
    const ticket = signer.sign({ id: 'i', path: '/runs/r/events', identity, openUntil: 1, reopenUntil: 2 });
    expect(maskCredentials(`/v1/responses?ticket=${ticket}&x=1`)).toBe('/v1/responses?ticket=[secret]&x=1');
    expect(maskCredentials(`parley.ticket.${ticket}`)).toBe('parley.ticket.[secret]');
  });

  it('tokens of OpenID providers are', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    for (const header of [{ alg: 'ES256' }, { alg: 'ES256', typ: 'JWT', kid: 'k' }, { kid: 'k1', alg: 'ES256' }]) {
      const token = await new SignJWT({ sub: 'ana' }).setProtectedHeader(header).sign(privateKey);
      expect(maskCredentials(`Bearer ${token}`)).toBe('Bearer [secret]');
    }
  });
});
