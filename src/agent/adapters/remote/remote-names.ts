import { createHmac } from 'node:crypto';

/**
 * The names that remote agents see of runs, conversations and users: made of ours with a key, so that nobody can find
 * ours by them, and the same in every attempt and on every instance.
 */
export class RemoteNames {
  /** @param secret read when it is first needed: reading it may create a file */
  constructor(private readonly secret: () => string) {}

  /** A name of 32 characters. @param purpose tells names of different things apart */
  of(purpose: 'run' | 'conversation' | 'user', ...parts: readonly (string | number)[]): string {
    return createHmac('sha256', this.secret())
      .update(JSON.stringify([purpose, ...parts]))
      .digest('hex')
      .slice(0, 32);
  }
}
