/** Whose session, and which. */
export interface SessionKey {
  readonly tenantId: string;
  readonly userId: string;
  readonly sessionId: string;
}

/**
 * Announces newly accepted runs to readers that wait for the next run of a session. An announcement is a hint
 * that may be lost, so readers also poll the ledger.
 */
export abstract class RunAnnouncements {
  /** Announces that a run of this session was committed. */
  abstract announce(session: SessionKey): void;

  /** Calls the listener at each announcement for this session. Returns a function that unsubscribes it. */
  abstract subscribe(session: SessionKey, listener: () => void): () => void;
}
