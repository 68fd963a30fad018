import { Injectable } from '@nestjs/common';
import { type Observable, of } from 'rxjs';
import { AppConfig } from '../../config/index.js';
import { DONE_FRAME, type ProtocolEncoder } from '../http/index.js';
import { type AgKitAccepted, AgKitIntake } from './ag-kit-intake.js';
import { AgKitEncoder } from './ag-kit.encoder.js';
import { type AgKitExchange, userIdOf } from './ag-kit-exchange.js';
import { AgKitReader } from './ag-kit.reader.js';
import type { AgKitDialect } from './ag-kit.types.js';
import { AgUiIntake } from './ag-ui-intake.js';
import { BotEncoder } from './bot.encoder.js';
import { dialectOf } from './dialect.js';
import { PublicAgents } from './public-agents.js';

type Body = Readonly<Record<string, unknown>>;

/** Answers `send-message` in the dialect of its body. */
@Injectable()
export class SendMessage {
  constructor(
    private readonly intake: AgKitIntake,
    private readonly agUi: AgUiIntake,
    private readonly reader: AgKitReader,
    private readonly agents: PublicAgents,
    private readonly config: AppConfig,
  ) {}

  /** @throws AppError as the dialects' decoders and `Runs.accept`; AGENT_NOT_FOUND also for an internal agent */
  async answer(
    body: unknown,
    agentId: string | undefined,
    exchange: AgKitExchange,
    cancelWhenLeft: boolean,
  ): Promise<Observable<readonly string[]>> {
    const agentType = this.agentOf(agentId);
    const dialect = dialectOf(body, this.pinned(agentType));
    const asker = { agentType, userId: userIdOf(exchange.request) };
    switch (dialect) {
      case 'ag-kit': {
        const accepted = await this.intake.agKit(body as Body, asker);
        return accepted ? this.stream(accepted, this.encoder(), exchange, cancelWhenLeft) : of([DONE_FRAME]);
      }
      case 'bot':
        return this.stream(await this.intake.bot(body as Body, asker), new BotEncoder(), exchange, cancelWhenLeft);
      case 'ag-ui': {
        const answer = await this.agUi.answer(body as Body, asker);
        if (answer.kind === 'frames') return of(answer.frames);
        return this.stream(answer.accepted, answer.encoder, exchange, cancelWhenLeft);
      }
    }
  }

  private stream(
    { runId, principal }: AgKitAccepted,
    encoder: ProtocolEncoder,
    { reply, demand, gone }: AgKitExchange,
    cancelWhenLeft: boolean,
  ): Observable<readonly string[]> {
    reply.headers({
      'x-run-id': runId,
      'content-location': `/runs/${encodeURIComponent(runId)}/events?protocol=ag-kit`,
    });
    return this.reader.live({ principal, runId, encoder, cancelWhenLeft }, demand, gone);
  }

  private encoder(): ProtocolEncoder {
    return new AgKitEncoder({ errorText: this.config.agKit.errorText });
  }

  private pinned(agentType: string): AgKitDialect | undefined {
    const { dialects } = this.config.agKit;
    return [agentType, '*'].flatMap((name) => (Object.hasOwn(dialects, name) ? (dialects[name] ?? []) : []))[0];
  }

  private agentOf(agentId: string | undefined): string {
    return agentId === undefined ? this.config.agent.defaultAgent : this.agents.get(agentId).name;
  }
}
