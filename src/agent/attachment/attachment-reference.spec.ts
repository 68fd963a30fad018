import fc from 'fast-check';
import { isOwnPath, parseReference, referenceOf, storagePath } from './attachment-reference.js';

const ID = '6f1c2a3e-9b1d-4c7e-8a53-0d2f5c1b7e90';
const NOW = Date.UTC(2026, 2, 31, 23, 30);

describe('references to attachments', () => {
  it('a reference holds owner, month in UTC, id and type', () => {
    const path = storagePath({ tenantId: 'default', userId: 'alice' }, ID, 'image/jpeg', NOW);
    expect(path).toBe(`agent-inputs/default/alice/2026/03/${ID}.jpg`);
    expect(parseReference(referenceOf(path))).toEqual({ path, id: ID, mimeType: 'image/jpeg' });
  });

  it('a reference belongs to one user only, whatever the names are', () => {
    const name = fc.oneof(fc.constantFrom('a', 'a/b', '../..', '.', '~', 'A', 'a b', '用户', '~abc', ''), fc.string());
    fc.assert(
      fc.property(name, name, name, name, (tenant, user, otherTenant, otherUser) => {
        const owner = { tenantId: tenant, userId: user };
        const other = { tenantId: otherTenant, userId: otherUser };
        const path = storagePath(owner, ID, 'image/png', NOW);
        expect(isOwnPath(owner, path)).toBe(true);
        expect(path.split('/')).toHaveLength(6);
        expect(path).toMatch(/^[\w.~@/-]+$/);
        expect(isOwnPath(other, path)).toBe(tenant === otherTenant && user === otherUser);
      }),
    );
  });

  it.each([
    'https://example.org/a.png',
    'parley-attachment:',
    `parley-attachment:../../etc/${ID}.png`,
    `parley-attachment:agent-inputs/default//2026/03/${ID}.png`,
    `parley-attachment:agent-inputs/default/alice/2026/03/${ID}.svg`,
    `parley-attachment:agent-inputs/default/alice/2026/03/nothing.png`,
  ])('an invalid reference is refused: %s', (reference) => {
    expect(parseReference(reference)).toBeUndefined();
  });
});
