/**
 * Why a run is stopped from outside: a person's cancel, its time is over, it has written nothing for too
 * long, another process has it, or this process shuts down and hands it over.
 */
export type StopKind = 'cancel' | 'timeout' | 'idle' | 'lost' | 'shutdown';

/** The reason a run's abort signal carries. */
export class RunStop extends Error {
  constructor(readonly kind: StopKind) {
    super(`the run was stopped: ${kind}`);
    this.name = 'RunStop';
  }
}

/** The kind of stop a signal carries, or undefined while the run may go on. */
export function stopKind(signal: AbortSignal): StopKind | undefined {
  if (!signal.aborted) return undefined;
  return signal.reason instanceof RunStop ? signal.reason.kind : 'cancel';
}
