import type { Principal } from '../../common/index.js';

/** How many runs may wait or be executed at the same time. */
export interface ActiveRunLimits {
  /** Of the owner. */
  readonly user: number;
  /** Of all users of the tenant. */
  readonly tenant: number;
}

/** A start that was counted. */
export interface CountedStart {
  /** How many runs the owner may have. */
  readonly active: ActiveRunLimits;
  /** Takes the count back, because no run was started. */
  undo(): void;
}

/** How much of the server one user and one tenant may use. */
export abstract class RunLimits {
  /**
   * Counts the start of a run. Returns undefined without limits.
   *
   * @param runsPerMinute how many runs the requester may start, where that differs from the limits of the owner
   * @throws AppError RATE_LIMIT_EXCEEDED
   */
  abstract countStart(owner: Principal, runsPerMinute?: number): Promise<CountedStart | undefined>;

  /** The part of a process's runs that one tenant may have executed at the same time; 1 for no limit. */
  abstract readonly tenantShare: number;
}
