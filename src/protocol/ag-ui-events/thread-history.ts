import type { Principal } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import type { Runs, RunView } from '../../run/index.js';
import type { Sessions } from '../../session/index.js';
import type { AgUiGeneration, AgUiMessage } from './ag-ui.types.js';
import { toAgUiMessages } from './message-encoder.js';

const PAGE = 500;

/** Where messages are read. */
export interface HistoryPorts {
  readonly runs: Pick<Runs, 'input'>;
  readonly sessions: Pick<Sessions, 'messages'>;
}

/** The messages of a thread up to and with what a run was accepted with: what its client has on the screen then. */
export async function historyOf(
  ports: HistoryPorts,
  principal: Principal,
  run: Pick<RunView, 'runId' | 'sessionId' | 'ordinal'>,
  generation: AgUiGeneration,
): Promise<readonly AgUiMessage[]> {
  const before = await threadMessages(ports, principal, run.sessionId, run.ordinal);
  const input = await ports.runs.input(principal, run.runId);
  return toAgUiMessages([...before, ...input], generation);
}

/** The messages of a thread that were stored for runs before the given ordinal; all when it is absent. */
export async function threadMessages(
  ports: Pick<HistoryPorts, 'sessions'>,
  principal: Principal,
  threadId: string,
  beforeOrdinal = Number.POSITIVE_INFINITY,
): Promise<readonly Message[]> {
  const found: Message[] = [];
  for (let after = 0; ;) {
    const page = await ports.sessions.messages(principal, threadId, { limit: PAGE, after, order: 'asc' });
    found.push(...page.filter(({ runOrdinal }) => runOrdinal < beforeOrdinal).map(({ message }) => message));
    const last = page.at(-1);
    if (!last || page.length < PAGE) return found;
    after = last.seq;
  }
}
