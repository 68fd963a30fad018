import { loggedPath } from './logged-path.js';

describe('loggedPath', () => {
  it.each([
    ['/process?token=secret', '/process'],
    ['/admin/users/margaret/erasure', '/admin/users/-/erasure'],
    ['/admin/users/margaret?tenant=acme', '/admin/users/-'],
    ['/prefix/admin/users/margaret', '/prefix/admin/users/-'],
    ['/admin/usage', '/admin/usage'],
    ['', ''],
  ])('%s is %s', (url, path) => {
    expect(loggedPath(url)).toBe(path);
  });
});
