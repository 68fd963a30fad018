import { AppError, type Principal, RETRY_AFTER_SECONDS } from '../common/index.js';

/** How many exports a process makes at once: each reads as much as its client takes. */
export const MOST_EXPORTS = 4;

/** The exports of this process that have not ended (contract access, section 6). */
export class OpenExports {
  private readonly users = new Set<string>();

  /**
   * Counts an export of a user.
   *
   * @returns ends it; may be called more than once
   * @throws AppError RATE_LIMIT_EXCEEDED while another one of the user, or as many as the process makes at once, are open
   */
  take({ tenantId, userId }: Principal): () => void {
    const user = JSON.stringify([tenantId, userId]);
    if (this.users.has(user)) throw tooMany('Another export of this user has not ended yet');
    if (this.users.size >= MOST_EXPORTS) throw tooMany(`A server makes at most ${MOST_EXPORTS} exports at once`);
    this.users.add(user);
    let isOpen = true;
    return () => {
      if (isOpen) this.users.delete(user);
      isOpen = false;
    };
  }
}

function tooMany(message: string): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
