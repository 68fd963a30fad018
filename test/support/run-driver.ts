import type { Abstract, Type } from '@nestjs/common';
import { DEFAULT_TENANT, tenantReach } from '../../src/common/index.js';
import { type AgentEvent, type AgentResponse, isTerminalEvent, StreamGrammar } from '../../src/events/index.js';
import { Interrupts } from '../../src/agent/interrupt/index.js';
import { WorkerLease } from '../../src/run/dispatch/worker-lease.js';
import { type RunRequest, Runs, type RunView, type TailOptions } from '../../src/run/index.js';
import { Sessions } from '../../src/agent/session/index.js';
import * as agents from './code-agents.js';
import { type Ledger, nextId, runRequest } from './ledger.js';
import { type ServerOptions, startServer, type TestServer } from './server.js';

/** A run that has ended: its state, its last event, and everything it wrote. */
export interface EndedRun {
  readonly runId: string;
  readonly view: RunView;
  readonly last: AgentResponse;
  readonly events: readonly AgentEvent[];
}

/** An event with its number, as a reader gets it. */
export interface NumberedEvent {
  readonly seq: number;
  readonly event: AgentEvent;
}

/** Reads the runs of all users. */
const TENANT = tenantReach(DEFAULT_TENANT);
const CODE_AGENTS = [agents.FailingCodeAgent, agents.RestartingCodeAgent, agents.JournalingCodeAgent];

/** Starts and reads runs of a server that has no HTTP, over the database of a ledger. */
export class RunDriver {
  readonly runs: Runs;
  readonly sessions: Sessions;
  readonly interrupts: Interrupts;

  private constructor(private readonly server: TestServer) {
    this.runs = server.get(Runs);
    this.sessions = server.get(Sessions);
    this.interrupts = server.get(Interrupts);
  }

  /** Starts a server with the agents whose behaviour a test chooses. */
  static async start(ledger: Ledger, { env, providers = [], ...options }: ServerOptions = {}): Promise<RunDriver> {
    const server = await startServer({
      ...options,
      database: ledger.test,
      listen: false,
      env: { SWEEP_INTERVAL_MS: '50', SHUTDOWN_GRACE_MS: '0', ...env },
      providers: [...CODE_AGENTS, ...providers],
    });
    ledger.servers.add(() => server.get(WorkerLease).current?.owner);
    return new RunDriver(server);
  }

  /** A provider of any module. */
  get<T>(token: Type<T> | Abstract<T>): T {
    return this.server.get(token);
  }

  /** Accepts a run, of a session of its own unless told otherwise. Returns its id. */
  async accept(overrides: Partial<RunRequest> = {}): Promise<string> {
    const request = runRequest({ sessionId: nextId('session'), runId: nextId('run'), ...overrides });
    return (await this.runs.accept(request)).run.runId;
  }

  /** The events of a run from a cursor to its end. */
  async read(runId: string, options: TailOptions = {}): Promise<readonly NumberedEvent[]> {
    const events: NumberedEvent[] = [];
    for await (const batch of this.runs.tail(TENANT, runId, options))
      events.push(...batch.map(({ seq, event }) => ({ seq, event })));
    return events;
  }

  /** Reads a run to its end. Expects the whole log to be legal, without gaps, and the run's view to agree with it. */
  async ended(runId: string): Promise<EndedRun> {
    const numbered = await this.read(runId);
    expect(numbered.map(({ seq }) => seq)).toEqual(numbered.map((_, index) => index));
    const events = numbered.map(({ event }) => event);
    const grammar = new StreamGrammar();
    for (const event of events) grammar.accept(event);
    expect(grammar.terminated).toBe(true);
    expect(events.filter(isTerminalEvent)).toHaveLength(1);
    const view = await this.runs.view(TENANT, runId);
    expect(view.lastSeq).toBe(events.length - 1);
    const last = await this.runs.response(TENANT, runId);
    expect(last).toEqual(events.at(-1));
    return { runId, view, last, events };
  }

  /** Accepts a run and reads it to its end. */
  async run(overrides: Partial<RunRequest> = {}): Promise<EndedRun> {
    return this.ended(await this.accept(overrides));
  }

  stop(): Promise<void> {
    return this.server.close();
  }
}
