import { DataKey, ringKey, unwrapped } from './data-key.js';

const RING = ringKey({ kid: 'k1', secret: 'a-secret-of-16-characters' });
const bytes = Buffer.from('content');

describe('a data key', () => {
  it('opens what it has sealed, for the same place only', () => {
    const key = DataKey.random('acme');
    const sealed = key.seal('messages.body 1.2', bytes);
    expect(sealed.includes(bytes)).toBe(false);
    expect(key.open('messages.body 1.2', sealed)).toEqual(bytes);
    expect(key.open('messages.body 1.3', sealed)).toBeUndefined();
    expect(key.open('runs.request 1.2', sealed)).toBeUndefined();
    expect(DataKey.random('acme').open('messages.body 1.2', sealed)).toBeUndefined();
  });

  it('refuses what was changed or cut off, at every byte', () => {
    const key = DataKey.random('acme');
    const sealed = key.seal('here', bytes);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect([index, key.open('here', changed)]).toEqual([index, undefined]);
      expect(key.open('here', sealed.subarray(0, index))).toBeUndefined();
    }
  });

  it('compresses what is long', () => {
    const key = DataKey.random('acme');
    const long = Buffer.from('content '.repeat(1000));
    const sealed = key.seal('here', long, { compress: true });
    expect(sealed.length).toBeLessThan(long.length / 10);
    expect(key.open('here', sealed)).toEqual(long);
  });

  it('is wrapped for its tenant and by its key of the ring', () => {
    const key = DataKey.random('acme');
    const sealed = key.seal('here', bytes);
    const row = { tenant_id: 'acme', key_id: key.id, kid: 'k1', wrapped: key.wrap('k1', RING.key) };
    expect(unwrapped(row, RING)?.open('here', sealed)).toEqual(bytes);
    expect(unwrapped({ ...row, tenant_id: 'other' }, RING)).toBeUndefined();
    expect(unwrapped({ ...row, key_id: '0'.repeat(16) }, RING)).toBeUndefined();
    expect(unwrapped(row, ringKey({ kid: 'k1', secret: 'another-secret-of-16' }))).toBeUndefined();
    expect(unwrapped({ ...row, wrapped: 'short' }, RING)).toBeUndefined();
    const moved = key.movedTo('other');
    const { wrapped } = { wrapped: moved.wrap('k1', RING.key) };
    expect(unwrapped({ ...row, tenant_id: 'other', wrapped }, RING)?.open('here', sealed)).toEqual(bytes);
  });
});
