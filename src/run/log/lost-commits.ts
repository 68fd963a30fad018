import { Logger } from '@nestjs/common';
import type { LoggedEvent } from '../../events/index.js';
import type { LogWrite, RunLog } from '../ports/run-log.js';
import type { CommitSource } from './commit-source.js';
import type { LogCommit } from './log-commit.js';

/**
 * Commits that the database has confirmed and lost, as a standby that was promoted before it had them. Readers have the
 * events, so their numbers must not be given to others: the events are written again. What was committed with them, such as
 * finished steps and messages of the session, is lost.
 */
export class LostCommits {
  private readonly logger = new Logger('Database');

  constructor(
    private readonly commits: Pick<LogCommit, 'append'>,
    private readonly log: Pick<RunLog, 'held'>,
  ) {}

  /**
   * Writes the lost events before a write that was rejected again.
   *
   * @returns false if nothing is lost, or what is lost is not known any more: the write must not be made then
   * @throws the driver's error
   */
  async restore(source: Pick<CommitSource, 'restorable'>, { run, firstSeq }: LogWrite): Promise<boolean> {
    const held = await this.log.held(run);
    if (held === undefined || held >= firstSeq) return false;
    const events = source.restorable(held);
    const lost = `The database has lost ${firstSeq - held} committed events of run ${run.id}, from number ${held} on`;
    if (events?.length !== firstSeq - held) {
      this.logger.error(`${lost}. They cannot be restored. Was an asynchronous standby promoted?`);
      return false;
    }
    this.logger.error(`${lost}. They are restored, and the run fails. Was an asynchronous standby promoted?`);
    for (const together of commitsOf(events)) {
      const write = { run, firstSeq: together[0]?.seq ?? held, lines: together.map(({ json }) => json), steps: [] };
      const [written] = await this.commits.append([{ ...write, end: undefined, at: together[0]?.at ?? 0 }]);
      if (!written) return false;
    }
    return true;
  }
}

/** Events of one time are one commit. */
function commitsOf(events: readonly LoggedEvent[]): readonly (readonly LoggedEvent[])[] {
  const commits: LoggedEvent[][] = [];
  for (const event of events) {
    const last = commits.at(-1);
    if (last && last[0]?.at === event.at) last.push(event);
    else commits.push([event]);
  }
  return commits;
}
