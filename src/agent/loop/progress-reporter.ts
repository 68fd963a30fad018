import type { JsonObject } from '../../common/index.js';
import type { ToolCall, ToolProgress } from '../../tools/index.js';
import type { AgentContext } from '../agent.js';

/** The `activity_type` of a tool's progress. */
export const TOOL_PROGRESS = 'tool_progress';

/** The shortest time between two reports of one call, in milliseconds. */
const INTERVAL_MS = 100;

/** The longest sentence of a report, in characters. */
const MESSAGE_LIMIT = 1000;

/**
 * Writes the progress of one call as `activity` events of the run, each with the whole of it. Reports
 * that follow each other too fast are left out; after the call has ended, all are.
 */
export class ProgressReporter {
  private nextAt = 0;
  private ended = false;

  constructor(private readonly context: Pick<AgentContext, 'emit' | 'signal'>) {}

  report(call: ToolCall, { progress, total, message }: ToolProgress): void {
    const now = performance.now();
    if (this.ended || this.context.signal.aborted || now < this.nextAt || !Number.isFinite(progress)) return;
    this.nextAt = now + INTERVAL_MS;
    const content: JsonObject = { call_id: call.callId, name: call.name, progress };
    if (total !== undefined && Number.isFinite(total)) content['total'] = total;
    if (message !== undefined) content['message'] = readable(message);
    const id = `progress_${call.callId}`;
    this.context.emit({ object: 'activity', kind: 'snapshot', id, activity_type: TOOL_PROGRESS, content });
  }

  /** The call has its result: nothing is reported any more. */
  end(): void {
    this.ended = true;
  }
}

function readable(message: string): string {
  return message.slice(0, MESSAGE_LIMIT).replace(/\p{Surrogate}/gu, '\uFFFD');
}
