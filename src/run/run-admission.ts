import { Injectable } from '@nestjs/common';
import { AppError, Clock, fingerprint, IdFactory, type Principal } from '../common/index.js';
import { AppConfig } from '../config/index.js';
import { Dispatcher } from './ports/dispatcher.js';
import { RunStore } from './ports/run-store.js';
import type { AcceptedRun, RunRequest } from './run.types.js';

/** Lets runs in and has them cancelled: the durable half of both, then the hint to the dispatcher. */
@Injectable()
export class RunAdmission {
  constructor(
    private readonly store: RunStore,
    private readonly dispatcher: Dispatcher,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly ids: IdFactory,
  ) {}

  /** @throws AppError as `RunStore.accept`; then nothing is written */
  async admit(request: RunRequest): Promise<AcceptedRun> {
    const lease = this.dispatcher.reserve();
    let started = false;
    try {
      const { run, input, created } = await this.store.accept(request, {
        runId: request.runId ?? this.ids.next('response_'),
        fingerprint: requestFingerprint(request),
        now: this.clock.now(),
        queueLimit: this.config.runs.queueLimit,
        ...(lease ? { lease } : {}),
      });
      started = created && run.state === 'running';
      if (started) this.dispatcher.start(run, input);
      else if (run.state === 'queued') this.dispatcher.wake();
      return { runId: run.id, sessionId: run.sessionId, created };
    } finally {
      if (lease && !started) this.dispatcher.unreserve();
    }
  }

  /** @throws AppError RUN_NOT_FOUND */
  async cancel(principal: Principal, runId: string): Promise<void> {
    const run = await this.store.requestCancel(principal.tenantId, runId, this.clock.now());
    if (!run) throw new AppError('RUN_NOT_FOUND');
    if (run.state === 'running') this.dispatcher.cancel(run.no);
    if (run.state === 'queued') this.dispatcher.wake();
  }
}

/** What must be equal for a request to count as repeated. Message ids may be the server's, so they do not count. */
function requestFingerprint(request: RunRequest): string {
  return fingerprint({
    agentType: request.agentType,
    session: request.sessionGiven === false ? null : [request.principal.userId, request.sessionId],
    input: request.input.map(({ role, type, content }) => ({ role, type, content: content?.map(withoutMessageId) })),
    clientTools: request.clientTools,
    modelOptions: request.modelOptions,
    clientTime: request.clientTime,
    forwardedProps: request.forwardedProps,
  });
}

function withoutMessageId(content: object): object {
  return { ...content, msg_id: undefined };
}
