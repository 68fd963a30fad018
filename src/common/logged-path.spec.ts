import { hidePerson, loggedPath } from './logged-path.js';

describe('loggedPath', () => {
  beforeAll(() => {
    for (const route of ['/admin/users/:id/erasure', '/api/teams/:team/members/:id']) hidePerson(route, 'id');
  });

  it.each([
    ['/process?token=secret', '/process'],
    ['/admin/users/margaret/erasure', '/admin/users/-/erasure'],
    ['/admin/users/margaret?tenant=acme', '/admin/users/-'],
    ['/prefix/admin/users/margaret', '/prefix/admin/users/-'],
    ['/admin/users/', '/admin/users/'],
    ['/api/teams/blue/members/margaret/notes', '/api/teams/blue/members/-/notes'],
    ['/api/teams/members/members/margaret', '/api/teams/members/-/-'],
    ['/admin/%75sers/margaret', '/admin/%75sers/-'],
    ['/admin/%/users/margaret', '/admin/%/users/margaret'],
    ['/admin/usage', '/admin/usage'],
    ['', ''],
  ])('%s is %s', (url, path) => {
    expect(loggedPath(url)).toBe(path);
  });

  it.each([
    ['/admin/users/:id', 'user'],
    ['/teams/:team/:id', 'id'],
    ['/:id', 'id'],
  ])('%s cannot say that %s is a person', (route, parameter) => {
    expect(() => hidePerson(route, parameter)).toThrow(`${route} names no person as :${parameter}`);
  });
});
