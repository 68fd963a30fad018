import { Injectable } from '@nestjs/common';
import { type Observable, of } from 'rxjs';
import { DONE_FRAME, controlFramesFrom, useControlFrames } from '../http/index.js';
import { type FrameEncoder } from '../wire/index.js';
import { type AgKitAccepted, AgKitIntake } from './ag-kit-intake.js';
import { AgKitEncoder } from './ag-kit.encoder.js';
import { type AgKitExchange, userIdOf } from './ag-kit-exchange.js';
import { AgKitReader } from './ag-kit.reader.js';
import { AgKitSettings } from './ag-kit.settings.js';
import { type AgKitDialect, WATCHED_AS } from './ag-kit.types.js';
import { AgUiIntake } from './ag-ui-intake.js';
import { BotEncoder } from './bot.encoder.js';
import { dialectOf } from './dialect.js';
import { PublicAgents } from './public-agents.js';

type Body = Readonly<Record<string, unknown>>;

/** How a run is written to its client. */
interface Writing {
  readonly encoder: FrameEncoder;
  /** The name by which others can watch the same frames. */
  readonly watchedAs: string;
  readonly cancelWhenLeft: boolean;
}

/** Answers `send-message` in the dialect of its body. */
@Injectable()
export class SendMessage {
  constructor(
    private readonly intake: AgKitIntake,
    private readonly agUi: AgUiIntake,
    private readonly reader: AgKitReader,
    private readonly agents: PublicAgents,
    private readonly settings: AgKitSettings,
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
    const stream = (accepted: AgKitAccepted, encoder: FrameEncoder): Observable<readonly string[]> =>
      this.stream(accepted, { encoder, watchedAs: WATCHED_AS[dialect], cancelWhenLeft }, exchange);
    switch (dialect) {
      case 'ag-kit': {
        const accepted = await this.intake.agKit(body as Body, asker);
        return accepted ? stream(accepted, this.encoder()) : of([DONE_FRAME]);
      }
      case 'bot':
        return stream(await this.intake.bot(body as Body, asker), new BotEncoder());
      case 'ag-ui': {
        const answer = await this.agUi.answer(body as Body, asker);
        return answer.kind === 'frames' ? of(answer.frames) : stream(answer.accepted, answer.encoder);
      }
    }
  }

  private stream(
    { runId, principal }: AgKitAccepted,
    { encoder, watchedAs, cancelWhenLeft }: Writing,
    { request, reply, gate, gone }: AgKitExchange,
  ): Observable<readonly string[]> {
    reply.headers({
      'x-run-id': runId,
      'content-location': `/runs/${encodeURIComponent(runId)}/events?protocol=${watchedAs}`,
    });
    useControlFrames(request, controlFramesFrom(encoder));
    return this.reader.live({ principal, runId, encoder, cancelWhenLeft }, gate, gone);
  }

  private encoder(): FrameEncoder {
    return new AgKitEncoder({ errorText: this.settings.errorText });
  }

  private pinned(agentType: string): AgKitDialect | undefined {
    const { dialects } = this.settings;
    return [agentType, '*'].flatMap((name) => (Object.hasOwn(dialects, name) ? (dialects[name] ?? []) : []))[0];
  }

  private agentOf(agentId: string | undefined): string {
    return agentId === undefined ? this.agents.defaultName : this.agents.get(agentId).name;
  }
}
