import { Logger } from '@nestjs/common';
import { SystemClock } from '../../common/index.js';
import type { Identity } from '../identity/identity.js';
import type { Authenticator } from './authenticator.js';
import { CredentialWatch } from './credential-watch.js';

const identity = (id: string, expiresAt?: number): Identity => ({
  tenantId: 'default',
  actor: { kind: 'key', id },
  userId: undefined,
  scopes: [],
  roles: [],
  expiresAt,
});

describe('CredentialWatch', () => {
  let now: number;
  let looks: string[];
  let revoked: Set<string>;
  let ended: string[];
  let watch: CredentialWatch;

  beforeEach(() => {
    Logger.overrideLogger(false);
    [now, looks, revoked, ended] = [0, [], new Set(), []];
    const isCurrent = async ({ identity: one }: { identity: Identity }, at: number): Promise<boolean> => {
      looks.push(one.actor.id);
      if (one.actor.id === 'broken') throw new Error('no database');
      return !revoked.has(one.actor.id) && (one.expiresAt === undefined || one.expiresAt > at);
    };
    watch = new CredentialWatch(
      { isCurrent } as unknown as Authenticator,
      Object.assign(new SystemClock(), { now: () => now }),
    );
  });
  afterEach(() => watch.onApplicationShutdown());

  const open = (id: string, name = id, expiresAt?: number): (() => void) =>
    watch.watch({ identity: identity(id, expiresAt) }, () => ended.push(name));

  it('looks once at a credential, however many streams it has opened', async () => {
    for (let stream = 0; stream < 100; stream += 1) open('a');
    open('b');
    now = 5000;
    await watch.look();
    expect(looks.sort()).toEqual(['a', 'b']);
  });

  it('ends every stream of a revoked credential, each once, and no other', async () => {
    open('a', 'first');
    open('a', 'second');
    open('b', 'other');
    revoked.add('a');
    now = 5000;
    await watch.look();
    now = 10_000;
    await watch.look();
    expect(ended).toEqual(['first', 'second']);
  });

  it('ends a stream when its credential expires, before the next look is due', async () => {
    open('a', 'a', 2000);
    now = 1999;
    await watch.look();
    expect(ended).toEqual([]);
    now = 2000;
    await watch.look();
    expect(ended).toEqual(['a']);
  });

  it('tells apart tokens of one user that expire at different times', async () => {
    open('a', 'early', 1000);
    open('a', 'late', 9000);
    now = 1000;
    await watch.look();
    expect(ended).toEqual(['early']);
  });

  it('does not look at credentials whose streams have ended', async () => {
    const stop = [open('a'), open('a')];
    for (const one of stop) one();
    stop[0]?.();
    now = 5000;
    await watch.look();
    expect(looks).toEqual([]);
  });

  it('keeps the streams of a credential that cannot be checked, and looks again', async () => {
    open('broken');
    now = 5000;
    await watch.look();
    now = 10_000;
    await watch.look();
    expect([looks, ended]).toEqual([['broken', 'broken'], []]);
  });

  it('does not watch a caller without a credential', async () => {
    watch.watch({ identity: undefined }, () => ended.push('nobody'));
    now = 1e12;
    await watch.look();
    expect([looks, ended]).toEqual([[], []]);
  });
});
