import type { Run, RunInterrupt, Usage } from '../api/types.js';
import { askedState, outcomeWord } from '../ui/outcome-words.js';

/** What one message of a user has caused: a run, and those that continue it with answers to what was asked. */
export interface Turn {
  /** The id of its first run. */
  readonly id: string;
  /** The words of the user; null if there are none. */
  readonly input: string | null;
  /** Its runs in the list, oldest first, never none. The first ones may not have been read yet. */
  readonly runs: readonly Run[];
  readonly newest: Run;
}

/** The turns of runs that a list shows newest first. A turn is where its newest run is. */
export function turnsOf(runs: readonly Run[]): readonly Turn[] {
  const groups = new Map<string, Run[]>();
  for (const run of runs) {
    // Ids of runs are unique for each user only.
    const key = JSON.stringify([run.userId, run.turn?.id ?? run.id]);
    const group = groups.get(key);
    if (group) group.push(run);
    else groups.set(key, [run]);
  }
  return [...groups.values()].flatMap((group) => {
    const [newest] = group;
    if (!newest) return [];
    const { turn, id, input } = group.find((run) => run.turn === null) ?? newest;
    return [{ id: turn?.id ?? id, input: turn ? turn.input : input, runs: [...group].reverse(), newest }];
  });
}

/** How long the runs of a turn have executed, in milliseconds; undefined while none has ended. */
export function tookOf(runs: readonly Run[]): number | undefined {
  const times = runs.flatMap(({ startedAt, endedAt }) =>
    startedAt !== null && endedAt !== null ? [Date.parse(endedAt) - Date.parse(startedAt)] : [],
  );
  return times.length === 0 ? undefined : times.reduce((sum, ms) => sum + ms, 0);
}

/** The tokens of the runs of a turn; null if none is known to have used any. */
export function tokensOf(runs: readonly Run[]): number | null {
  const known = runs.flatMap(({ usage }): Usage[] => (usage ? [usage] : []));
  return known.length === 0 ? null : known.reduce((sum, { totalTokens }) => sum + totalTokens, 0);
}

/** What was asked, in words. */
export function askedWords({ kind, toolName }: RunInterrupt): string {
  return kind === 'approval' ? `Approval of ${toolName ?? 'a call'}` : 'Question';
}

/** What was decided before a run of a turn went on. */
export function answeredFor(run: Run, runs: readonly Run[]): string {
  const answered = runs
    .flatMap(({ interrupts }) => interrupts)
    .filter(({ resumedByRunId }) => resumedByRunId === run.id)
    .map((one) => `${askedWords(one)}: ${outcomeWord(askedState(one)).toLowerCase()}`);
  return answered.length === 0 ? 'Went on with an answer' : answered.join(', ');
}
