import { randomUUID } from 'node:crypto';
import { agentApi, CursorReader, type CursorRoute, responses, runsApi, WATCHED, watching } from './cursor-reader.js';
import { type Frame, isTerminal } from './process-client.js';
import { runInput } from './runs-client.js';
import { jsonFrames } from './sse.js';

/** How long a client waits for an answer, or for the next bytes of a stream, before it tries another server. */
const PATIENCE_MS = 4000;
/** How long a run may take in all: far longer than any loss of a server. */
const RUN_MS = 120_000;

/** A run that was accepted, and how it is read. */
interface Started {
  readonly runId: string;
  readonly route: CursorRoute;
}

/** A way to start a run. */
type Start = (server: string, thread: string, words: string) => Promise<Started>;

/** What a client has read. */
export interface ChaosSeen {
  readonly name: string;
  readonly runId: string;
  readonly route: CursorRoute;
  readonly frames: readonly string[];
}

/**
 * A client of several servers of which any may be lost, paused or stopped at any time. It says one thing after the other
 * in one session, and reads each run to its end from its cursor, at whichever server answers.
 */
export class ChaosClient {
  private turn = 0;
  private readonly thread = randomUUID();

  /**
   * @param name the wire
   * @param start how its runs are accepted and read
   * @param servers the addresses of all servers
   */
  constructor(
    readonly name: string,
    private readonly start: Start,
    private readonly servers: readonly string[],
  ) {}

  /**
   * Lets one run be accepted, and reads it to its end.
   *
   * @returns undefined if no server has told that it accepted the run; it may have been accepted nevertheless
   * @throws Error for an answer that is not allowed, or if the run does not end
   */
  async run(words: string): Promise<ChaosSeen | undefined> {
    const started = await this.start(this.server(), this.thread, words).catch(unlessUnreachable);
    if (!started) return undefined;
    const { runId, route } = started;
    const reader = new CursorReader(route);
    for (const deadline = Date.now() + RUN_MS; ;) {
      const ending = await reader.read(this.server(), undefined, PATIENCE_MS).catch(unlessUnreachable);
      if (ending === 'nothing left' || (ending === 'ended' && !isUnfinished(reader))) {
        return { name: this.name, runId, route, frames: reader.frames };
      }
      if (Date.now() > deadline) throw new Error(`${this.name}: ${runId} does not end: ${reader.frames.at(-1)}`);
    }
  }

  /** The next server in turn. */
  private server(): string {
    this.turn += 1;
    return this.servers[this.turn % this.servers.length] ?? '';
  }
}

/** A server that stops ends a stream of the Agent API without a word (contract attach, section 3): its last frame tells. */
function isUnfinished({ route, frames }: CursorReader): boolean {
  if (!route.name.endsWith('agent-api')) return false;
  const [last] = jsonFrames(`${frames.at(-1) ?? ''}\n\n`);
  return !last || !isTerminal(last as unknown as Frame);
}

/** One client for each way to start and to read a run. */
export function chaosClients(servers: readonly string[]): readonly ChaosClient[] {
  const starts: readonly (readonly [string, Start])[] = [
    ['runs', startOfRuns((threadId) => runsApi(threadId.thread, threadId.run))],
    ['agent-api', startOfAgentApi],
    ['responses', startOfResponses],
    ...WATCHED.map((wire) => [`watched as ${wire}`, startOfRuns((_, id) => watching(id, wire))] as const),
  ];
  return starts.map(([name, start]) => new ChaosClient(name, start, servers));
}

function startOfRuns(routeOf: (key: { thread: string; run: string }, runId: string) => CursorRoute): Start {
  return async (server, threadId, words) => {
    const run = randomUUID();
    const body = runInput(words, { threadId, runId: run });
    const { taskId } = (await post(`${server}/api/v1/agent/runs`, body)) as { readonly taskId: string };
    return { runId: taskId, route: routeOf({ thread: threadId, run }, taskId) };
  };
}

const startOfAgentApi: Start = async (server, thread, words) => {
  const input = [{ role: 'user', content: [{ type: 'text', text: words }] }];
  const answer = await post(`${server}/process/task`, { session_id: thread, input });
  const { task_id: runId } = answer as { readonly task_id: string };
  return { runId, route: agentApi(runId) };
};

const startOfResponses: Start = async (server, _, input) => {
  const answer = await post(`${server}/v1/responses`, { model: 'worker', input, background: true, stream: false });
  const { id } = answer as { readonly id: string };
  return { runId: id, route: responses(id) };
};

async function post(url: string, body: object): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (answer.ok) return answer.json();
  throw new Error(`${url} is answered with ${answer.status}: ${await answer.text()}`);
}

/** A server that is lost, paused, starting or stopping may refuse and break off; every other error is one. */
function unlessUnreachable(error: unknown): undefined {
  const { name, message } = error as Error;
  // By name: the errors of `fetch` are not those of the test's own realm.
  if (['TypeError', 'TimeoutError', 'AbortError'].includes(name) || message.includes('answered with 503')) {
    return undefined;
  }
  throw error;
}
