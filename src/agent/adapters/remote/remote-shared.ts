import { AppError, type Json, type JsonObject } from '../../../common/index.js';
import type { ActivityEvent } from '../../../events/index.js';
import type { AgentContext, StateOperation } from '../../agent.js';
import { PATCH_LIMITS, RemoteActivities } from './remote-activities.js';

/** What an exchange changes step by step: the shared state and activities. What is not applied is a raw event. */
export class RemoteShared {
  private readonly activities: RemoteActivities;
  private hasMisfit = false;
  private isStateChanged = false;

  constructor(
    private readonly context: AgentContext,
    private readonly sharesState: boolean,
  ) {
    this.activities = new RemoteActivities(context.attempt <= 1);
  }

  /** Replaces the shared state. @returns a raw event for one that is too large, or is not shared */
  set(snapshot: Json): JsonObject | undefined {
    const isObject = typeof snapshot === 'object' && snapshot !== null && !Array.isArray(snapshot);
    if (!this.sharesState || !isObject || JSON.stringify(snapshot).length > PATCH_LIMITS.largest)
      return { type: 'STATE_SNAPSHOT' };
    this.context.state.set(snapshot);
    this.isStateChanged = true;
    return undefined;
  }

  /** Changes the shared state. @returns a raw event for a patch that does not fit */
  patch(operations: readonly StateOperation[]): JsonObject | undefined {
    try {
      if (!this.sharesState) throw new AppError('AGENT_ERROR');
      this.context.state.patch(operations, PATCH_LIMITS);
      this.isStateChanged = true;
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return this.misfit({ type: 'STATE_DELTA', delta: [...operations] });
    }
  }

  /** Shows an activity, or changes it. @returns a raw event for a patch that does not fit */
  activity(event: ActivityEvent): JsonObject | undefined {
    let written: ActivityEvent;
    try {
      written = this.activities.take(event);
    } catch {
      const { id: messageId, activity_type: activityType } = event;
      const patch = event.kind === 'delta' ? [...event.patch] : [];
      return this.misfit({ type: 'ACTIVITY_DELTA', messageId, activityType, patch });
    }
    this.context.emit(written);
    return undefined;
  }

  /** What has changed since the last call. */
  take(): { readonly hasState: boolean; readonly activities: readonly ActivityEvent[] } {
    const hasState = this.isStateChanged;
    this.isStateChanged = false;
    return { hasState, activities: this.activities.takeNews() };
  }

  /** Activities that an earlier attempt has shown. */
  restore(events: readonly ActivityEvent[]): void {
    this.activities.restore(events);
  }

  private misfit(event: JsonObject): JsonObject {
    if (!this.hasMisfit)
      this.context.telemetry?.log.warn(
        'A patch by the remote agent does not fit, or makes too much: it is not applied',
      );
    this.hasMisfit = true;
    return event;
  }
}
