import { type JsonObject, patched, type PatchLimits } from '../../../common/index.js';
import type { ActivityEvent } from '../../../events/index.js';

/** What a patch of an upstream may make of the shared state or of an activity. */
export const PATCH_LIMITS: PatchLimits = { largest: 256 * 1024, deepest: 128 };
/** What patches may make of all activities of an exchange together, in characters of JSON. */
const LARGEST_TOGETHER = 8 * 1024 * 1024;

/** The activities of one exchange as they are, so that no patch is written that does not fit. */
export class RemoteActivities {
  private readonly known = new Map<string, JsonObject>();
  /** The sizes of those that were patched. */
  private readonly sizes = new Map<string, number>();
  private together = 0;
  /** What has changed since the last boundary, by activity: what came before a snapshot is no matter. */
  private news = new Map<string, ActivityEvent[]>();
  private readonly shown = new Set<string>();

  /** @param isFirst false: readers may have seen more of an activity than is known here */
  constructor(private readonly isFirst: boolean) {}

  /**
   * The event to be written. Where an earlier attempt may have written a patch already, the activity is shown as a whole.
   *
   * @throws Error if the patch does not fit, or makes too much
   */
  take(event: ActivityEvent): ActivityEvent {
    this.apply(event);
    if (event.kind === 'snapshot') this.news.delete(event.id);
    const news = this.news.get(event.id);
    if (news) news.push(event);
    else this.news.set(event.id, [event]);
    const isSure = this.isFirst || this.shown.has(event.id);
    this.shown.add(event.id);
    if (isSure || event.kind === 'snapshot') return event;
    const { patch: _, ...rest } = event;
    return Object.assign(rest, { kind: 'snapshot' as const, content: this.known.get(event.id) ?? {} });
  }

  /** The events since the last call, from which another process knows the activities. */
  takeNews(): readonly ActivityEvent[] {
    const events = [...this.news.values()].flat();
    this.news = new Map();
    return events;
  }

  /** Continues behind the events of an earlier attempt. */
  restore(events: readonly ActivityEvent[]): void {
    for (const event of events) this.apply(event);
  }

  private apply(event: ActivityEvent): void {
    const { id } = event;
    if (event.kind === 'snapshot') {
      this.known.set(id, event.content);
      this.resize(id, 0);
      return;
    }
    const content = patched(this.known.get(id) ?? {}, event.patch, PATCH_LIMITS) as JsonObject;
    const size = JSON.stringify(content).length;
    if (this.together - (this.sizes.get(id) ?? 0) + size > LARGEST_TOGETHER)
      throw new Error('The activities are too large');
    this.known.set(id, content);
    this.resize(id, size);
  }

  private resize(id: string, size: number): void {
    this.together += size - (this.sizes.get(id) ?? 0);
    this.sizes.set(id, size);
  }
}
