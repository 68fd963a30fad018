import { base64Url, secret, uuid } from './random.js';

describe('random texts', () => {
  it('a UUID has the version and the variant of random ones', () => {
    expect(uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(uuid()).not.toBe(uuid());
  });

  it('a secret has 43 characters that addresses allow', () => {
    expect(secret()).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(base64Url(new Uint8Array([251, 255, 254]))).toBe('-__-');
  });
});
