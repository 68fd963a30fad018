import { Injectable } from '@nestjs/common';
import { AppError, isoTime, isoTimeOrNull, type Json, type JsonObject } from '../common/index.js';
import type { Transaction } from '../database/index.js';
import { type InterruptCause, InterruptCauses, type InterruptCauseWriter } from '../agent/interrupt/index.js';
import { type ChangeWriter, type RunChange, RunCauses, type RunOutcome } from '../run/index.js';
import { Announcements } from './announcements.js';
import { DeliveryStore } from './ports/delivery-store.js';
import { WebhookDirectory } from './webhook-directory.js';
import type { Announcement, WebhookEventName } from './webhook.types.js';

/** Announces what happens to runs and interrupts (contract hooks, section A2). */
@Injectable()
export class RunAnnouncements implements ChangeWriter {
  constructor(
    private readonly announcements: Announcements,
    private readonly directory: WebhookDirectory,
    private readonly deliveries: DeliveryStore,
    causes: RunCauses,
    interrupts: InterruptCauses,
  ) {
    causes.registerChanges(this);
    const ofInterrupts: InterruptCauseWriter = {
      wants: (tenantId) => announcements.areWanted(tenantId),
      write: (tx, cause) => this.writeInterrupt(tx, cause),
    };
    interrupts.register(ofInterrupts);
  }

  wants(tenantId?: string): boolean {
    return this.announcements.areWanted(tenantId);
  }

  async write(tx: Transaction, { run, end, response, at }: RunChange): Promise<void> {
    const { tenantId, userId, request, agentType: agent } = run;
    const type: WebhookEventName = end ? `run.${end.state}` : 'run.started';
    const named = end ? request.webhook : undefined;
    if (!this.announcements.mayWant(tenantId, type, named)) return;
    const base = { run: run.id, session: run.sessionId, agent, wire: run.wire, user: userId };
    await this.announcements.announce(tx, {
      tenantId,
      type,
      cause: [run.rowId, run.id],
      data: end ? Object.assign(base, endOf(run, end, at)) : base,
      ...(end && { content: contentOf(end, response) }),
      agent,
      run: { rowId: run.rowId, id: run.id, traceparent: request.trace?.parent ?? null },
      userId,
      named,
      at,
    });
  }

  /** @throws AppError INVALID_PARAMETER */
  async check(tenantId: string, webhook: string): Promise<void> {
    const isKnown = (): boolean => this.directory.of(tenantId).some(({ id }) => id === webhook);
    // Another process may have added it a moment ago.
    if (!isKnown()) await this.directory.read();
    if (!isKnown())
      throw new AppError('INVALID_PARAMETER', 'The webhook that the request names is unknown, or it is disabled');
  }

  private async writeInterrupt(tx: Transaction, cause: InterruptCause): Promise<void> {
    const { tenantId, userId, id, kind, status, runId, runRowId, sessionId, toolName } = cause;
    const type = eventOf(status);
    if (!this.announcements.mayWant(tenantId, type)) return;
    const agent = this.announcements.filterAgents(tenantId, type)
      ? await this.deliveries.agentOf(tx, runRowId)
      : undefined;
    const event: Announcement = {
      tenantId,
      type,
      cause: [id],
      data: {
        interrupt: id,
        kind,
        run: runId,
        session: sessionId,
        user: userId,
        toolName,
        ...(status !== 'pending' && { decision: status }),
      },
      content: { arguments: () => ({ arguments: cause.arguments }) },
      ...(agent !== undefined && { agent }),
      run: { rowId: runRowId, id: runId, traceparent: null },
      userId,
      at: cause.at,
    };
    await this.announcements.announce(tx, event);
  }
}

/** A question that a person has given up counts as answered: `cancelled` is its decision. */
function eventOf(status: InterruptCause['status']): WebhookEventName {
  if (status === 'pending') return 'interrupt.requested';
  return status === 'expired' ? 'interrupt.expired' : 'interrupt.answered';
}

function endOf({ createdAt, startedAt }: RunChange['run'], end: RunOutcome, at: number): JsonObject {
  return {
    status: end.state,
    errorCode: end.error?.code ?? null,
    usage: end.usage as JsonObject | null,
    createdAt: isoTime(createdAt),
    startedAt: isoTimeOrNull(startedAt),
    finishedAt: isoTime(at),
    ...(end.asked && { interrupts: end.asked.map(({ item: { id, kind } }) => ({ id, kind })) }),
  };
}

/** Read only where an endpoint includes it. */
function contentOf({ error }: RunOutcome, response: string | undefined): Announcement['content'] {
  return {
    error: () => ({ error: error && { code: error.code, message: error.message } }),
    output: () => {
      const { output } = response === undefined ? {} : (JSON.parse(response) as { readonly output?: Json });
      return { output: output ?? null };
    },
  };
}
