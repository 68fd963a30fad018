import { ConsoleLogger, type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { AppModule, type Extensions } from '../../src/app.module.js';
import { configFrom } from '../../src/config/index.js';
import type { AgentEvent } from '../../src/events/index.js';
import { Runs, type TailOptions } from '../../src/run/index.js';
import { Sessions } from '../../src/session/index.js';
import * as agents from './code-agents.js';
import { ALICE, type Ledger } from './ledger.js';

const CODE_AGENTS = [agents.FailingCodeAgent, agents.RestartingCodeAgent, agents.JournalingCodeAgent];

/** An event as a reader finds it. */
export interface Read {
  readonly seq: number;
  readonly event: AgentEvent;
}

/** A server without sockets over a ledger, with the agents whose behaviour a test chooses. */
export class HeadlessServer {
  readonly runs: Runs;
  readonly sessions: Sessions;

  private constructor(readonly app: INestApplicationContext) {
    this.runs = app.get(Runs, { strict: false });
    this.sessions = app.get(Sessions, { strict: false });
  }

  static async start(
    ledger: Ledger,
    env: NodeJS.ProcessEnv = {},
    extensions: Extensions = {},
  ): Promise<HeadlessServer> {
    const config = configFrom({ ...ledger.test.env, SWEEP_INTERVAL_MS: '50', SHUTDOWN_GRACE_MS: '0', ...env });
    const providers = [...CODE_AGENTS, ...(extensions.providers ?? [])];
    const builder = Test.createTestingModule({ imports: [AppModule.forRoot(config, { ...extensions, providers })] });
    const app = await builder.setLogger(new ConsoleLogger({ logLevels: [] })).compile();
    await app.init();
    return new HeadlessServer(app);
  }

  /** The events of a run from a cursor to its end. */
  async read(runId: string, options: TailOptions = {}): Promise<readonly Read[]> {
    const events: Read[] = [];
    for await (const batch of this.runs.tail(ALICE, runId, options))
      events.push(...batch.map(({ seq, event }) => ({ seq, event })));
    return events;
  }

  stop(): Promise<void> {
    return this.app.close();
  }
}
