import { Injectable } from '@nestjs/common';
import { AppError, Clock, fingerprint, IdFactory } from '../../common/index.js';
import { Dispatcher } from '../ports/dispatcher.js';
import { RunStore } from '../ports/run-store.js';
import type { Continuation } from './run-answers.js';
import { runView } from '../run-view.js';
import { RunSettings } from '../run.settings.js';
import type { AcceptedRun, RunRequest } from '../run.types.js';

/** Lets runs in: the durable half of it, then the hint to the dispatcher. */
@Injectable()
export class RunAdmission {
  constructor(
    private readonly store: RunStore,
    private readonly dispatcher: Dispatcher,
    private readonly settings: RunSettings,
    private readonly clock: Clock,
    private readonly ids: IdFactory,
  ) {}

  /** @throws AppError SHUTTING_DOWN */
  requireOpen(): void {
    if (!this.dispatcher.accepting) throw new AppError('SHUTTING_DOWN', undefined, { retryAfterSeconds: 5 });
  }

  /** @throws AppError as `RunStore.accept`; then nothing is written */
  async admit({ request, answers }: Continuation): Promise<AcceptedRun> {
    const lease = this.dispatcher.reserve();
    let started = false;
    try {
      const { run, input, created, queuedBefore, canceled } = await this.store.accept(request, {
        runId: request.runId ?? request.newRunId ?? this.ids.next('response_'),
        fingerprint: requestFingerprint(request),
        now: this.clock.now(),
        queueLimit: this.settings.queueLimit,
        answers,
        ...(lease ? { lease } : {}),
      });
      started = created && run.state === 'running';
      if (started) this.dispatcher.start(run, input);
      for (const runRowId of canceled) this.dispatcher.cancel(runRowId);
      if (run.state === 'queued') this.dispatcher.wake();
      const { createdSession, ordinal } = run;
      const view = runView(run, queuedBefore);
      return { runId: run.id, sessionId: run.sessionId, created, createdSession, ordinal, run: view };
    } finally {
      if (lease && !started) this.dispatcher.unreserve();
    }
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
    answers: request.answers,
    ...additions(request),
  });
}

/** What only some requests have; absent, it leaves the fingerprints of earlier versions as they were. */
function additions({
  after,
  state,
  systemPrompt,
  store,
  parentRunId,
  toolRestrictions: toolLimits,
}: RunRequest): object {
  return { after, state, systemPrompt, parentRunId, toolLimits, store: store === false ? false : undefined };
}

function withoutMessageId(content: object): object {
  return { ...content, msg_id: undefined };
}
