import { ConsoleLogger, type INestApplicationContext, type Provider } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ModelClient } from '../../src/agent/index.js';
import { AppModule } from '../../src/app.module.js';
import { configFrom } from '../../src/config/index.js';
import { type AgentEvent, type AgentResponse, isTerminalEvent, StreamGrammar } from '../../src/events/index.js';
import { Interrupts } from '../../src/interrupt/index.js';
import { type RunRequest, Runs, type RunView } from '../../src/run/index.js';
import { ALICE, type Ledger, nextId, runRequest } from './ledger.js';

/** How a run ended: how it stands, its last event, and everything it wrote. */
export interface EndedRun {
  readonly runId: string;
  readonly view: RunView;
  readonly last: AgentResponse;
  readonly events: readonly AgentEvent[];
}

/** A server without sockets over a ledger. */
export class RunServer {
  private constructor(
    readonly app: INestApplicationContext,
    readonly runs: Runs,
    readonly interrupts: Interrupts,
  ) {}

  static async start(
    ledger: Ledger,
    providers: Provider[],
    { env = {}, model }: { readonly env?: NodeJS.ProcessEnv; readonly model?: ModelClient } = {},
  ): Promise<RunServer> {
    const config = configFrom({ ...ledger.test.env, SWEEP_INTERVAL_MS: '50', SHUTDOWN_GRACE_MS: '0', ...env });
    const builder = Test.createTestingModule({ imports: [AppModule.forRoot(config, { providers })] });
    if (model) builder.overrideProvider(ModelClient).useValue(model);
    const app = await builder.setLogger(new ConsoleLogger({ logLevels: [] })).compile();
    await app.init();
    const find = { strict: false };
    return new RunServer(app, app.get(Runs, find), app.get(Interrupts, find));
  }

  async accept(overrides: Partial<RunRequest> = {}): Promise<string> {
    const request = runRequest({ sessionId: nextId('session'), runId: nextId('run'), ...overrides });
    return (await this.runs.accept(request)).runId;
  }

  /** Reads a run to its end and proves that the whole log is legal. */
  async ended(runId: string): Promise<EndedRun> {
    const events: AgentEvent[] = [];
    for await (const batch of this.runs.tail(ALICE, runId)) events.push(...batch.map(({ event }) => event));
    const grammar = new StreamGrammar();
    for (const event of events) grammar.accept(event);
    expect(grammar.terminated).toBe(true);
    expect(events.filter(isTerminalEvent)).toHaveLength(1);
    const view = await this.runs.view(ALICE, runId);
    return { runId, view, last: await this.runs.response(ALICE, runId), events };
  }

  /** Accepts and reads to the end. */
  async run(overrides: Partial<RunRequest> = {}): Promise<EndedRun> {
    return this.ended(await this.accept(overrides));
  }

  stop(): Promise<void> {
    return this.app.close();
  }
}
