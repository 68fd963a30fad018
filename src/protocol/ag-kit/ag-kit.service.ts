import { Injectable } from '@nestjs/common';
import { type Observable, of } from 'rxjs';
import { assertUnreachable } from '../../common/index.js';
import { DONE_FRAME, type StreamClient } from '../http/index.js';
import { type OnDisconnect, RunStreams, type WireRequest, Wires } from '../wire/index.js';
import { addressedUser } from './addressed-user.decorator.js';
import { AgKitAgents } from './ag-kit-agents.js';
import { type AgKitAccepted, type AgKitAsker, AgKitSubmission, type JsonBody } from './ag-kit-submission.js';
import { type AgKitDialect, WATCHED_AS } from './ag-kit.types.js';
import { AgUiSubmission } from './ag-ui-submission.js';
import { dialectOf } from './dialect.js';
import { SendMessageQueryDto } from './dto/request.dto.js';

/** A request of `send-message`: in which dialect it is, and who sends it to which agent. */
export interface SentMessages {
  readonly dialect: AgKitDialect;
  readonly body: JsonBody;
  readonly asker: AgKitAsker;
}

type Frames = Observable<readonly string[]>;

/** Responds to `send-message` in the dialect of its body. */
@Injectable()
export class AgKitService {
  constructor(
    private readonly submission: AgKitSubmission,
    private readonly agUi: AgUiSubmission,
    private readonly streams: RunStreams,
    private readonly wires: Wires,
    private readonly agents: AgKitAgents,
  ) {}

  /** @throws AppError as `addressedUser` and `dialectOf`; AGENT_NOT_FOUND also for an agent that the caller may not run */
  decode(request: WireRequest): SentMessages {
    const { body, caller, params, rawQuery } = request;
    request.query(SendMessageQueryDto);
    const user = addressedUser(caller, rawQuery, body);
    const { agentId } = params;
    const agentType = agentId === undefined ? this.agents.defaultName : this.agents.get(agentId, caller).name;
    const dialect = dialectOf(body, this.agents.pinnedDialect(agentType));
    return { dialect, body: body as JsonBody, asker: { agentType, caller, user } };
  }

  /** @throws AppError as the decoders of the dialects and `Runs.accept` */
  async send(
    { dialect, body, asker }: SentMessages,
    onDisconnect: OnDisconnect | undefined,
    client: StreamClient,
  ): Promise<Frames> {
    const submitted = await this.submit(dialect, body, asker);
    if ('frames' in submitted) return of(submitted.frames);
    return this.follow(dialect, submitted, onDisconnect, client);
  }

  /** The accepted run, or the complete stream when there is nothing to run. */
  private async submit(
    dialect: AgKitDialect,
    body: JsonBody,
    asker: AgKitAsker,
  ): Promise<AgKitAccepted | { readonly frames: readonly string[] }> {
    switch (dialect) {
      case 'ag-kit':
        return (await this.submission.agKit(body, asker)) ?? { frames: [DONE_FRAME] };
      case 'bot':
        return this.submission.bot(body, asker);
      case 'ag-ui':
        return this.agUi.accept(body, asker);
      default:
        return assertUnreachable(dialect);
    }
  }

  private follow(
    dialect: AgKitDialect,
    { run, encoder }: AgKitAccepted,
    onDisconnect: OnDisconnect | undefined,
    client: StreamClient,
  ): Frames {
    const wire = this.wires.watchable(WATCHED_AS[dialect]);
    client.reply.headers({
      'x-run-id': run.runId,
      'content-location': `/runs/${encodeURIComponent(run.runId)}/events?protocol=${wire.name}`,
    });
    return this.streams.follow(run, client, { wire, onDisconnect, encoder }).events();
  }
}
