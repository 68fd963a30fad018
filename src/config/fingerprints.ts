import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ServerKey } from './key-ring.js';

/** By the name of a setting: what it stands for in this process. The first is used, all are accepted. */
export type FingerprintsByName = Readonly<Record<string, readonly string[]>>;

/**
 * What all instances on one database must have in common, without the secrets themselves. Each feature adds its part
 * when it is constructed; the parts are read when an instance joins others.
 */
@Injectable()
export class Fingerprints {
  private readonly sources = new Map<string, () => readonly string[]>();

  /** @param read called when needed: reading a key may create its file */
  add(setting: string, read: () => readonly string[]): void {
    this.sources.set(setting, read);
  }

  /** @throws what reading a part throws */
  read(): FingerprintsByName {
    return Object.fromEntries([...this.sources].map(([setting, read]) => [setting, read()]));
  }
}

/** Fingerprints of keys: they tell keys apart, and do not help to find them. */
export function keyFingerprints(setting: string, keys: readonly ServerKey[]): readonly string[] {
  return keys.map(({ kid, secret }) =>
    createHash('sha256').update(`parley fingerprint\n${setting}\n${kid}\n${secret}`).digest('hex').slice(0, 32),
  );
}

/**
 * The settings in which two instances do not agree: one of them uses what the other does not accept. While keys are
 * replaced step by step, their lists may differ. Settings that only one of them knows are ignored.
 */
export function disagreements(one: FingerprintsByName, other: FingerprintsByName): readonly string[] {
  const accepts = (list: readonly string[], [used]: readonly string[]) => used === undefined || list.includes(used);
  return Object.entries(one).flatMap(([setting, own]) => {
    const theirs = other[setting];
    return theirs === undefined || (accepts(own, theirs) && accepts(theirs, own)) ? [] : [setting];
  });
}
