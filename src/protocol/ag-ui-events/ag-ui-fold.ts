import { assertUnreachable, type JsonObject } from '../../common/index.js';
import {
  type ActivityEvent,
  type AgentResponse,
  type Content,
  type CustomEvent,
  type InterruptEvent,
  isTerminalStatus,
  type LoggedEvent,
  type Message,
  RUN_RECOVERED,
  type RunRecovered,
} from '../../events/index.js';
import { AG_UI_PROTOCOL_VERSION, type AgUiEvent, type AgUiGeneration, type AgUiMessage } from './ag-ui.types.js';
import { CallParents, kindOfMessage, owned, ownerOf, STOPPED_RESULT, stoppedResultId } from './message-kinds.js';
import { toAgUiMessages } from './message-encoder.js';
import { OpenCall, OpenResult } from './open-calls.js';
import { OpenCustom, type OpenMessage, OpenReasoning, OpenSilent, OpenText, OwnedMessage } from './open-messages.js';
import { OpenSteps, OpenSubagents } from './open-spans.js';
import { outcomeOf, usageOf } from './run-outcome.js';
import { SharedState } from './shared-state.js';

/** The run of a stream, and its reader. */
export interface AgUiFoldOptions {
  /** The thread's id: a session's id in the server's vocabulary. */
  readonly threadId: string;
  /** The run's id as its client knows it. */
  readonly runId: string;
  /** The client's id of the run that this one continues; left out of RUN_STARTED when absent. */
  readonly parentRunId?: string;
  /** 1.0-only fields are left out for `v0`. */
  readonly generation: AgUiGeneration;
  /** What RUN_STARTED repeats of the request: a replay restores the user's messages from it. */
  readonly input?: JsonObject;
  /**
   * The thread's messages before this run's own output, its input included, or what reads them: that is called only when
   * a snapshot of them is due. Absent: there are none.
   */
  readonly history?: readonly AgUiMessage[] | (() => Promise<readonly AgUiMessage[]>);
  /** Names in the usage. */
  readonly model?: { readonly provider?: string; readonly model?: string };
}

/** A call of the server's own that has no result yet. */
interface OpenServerCall {
  /** The id of the message that made the call. */
  readonly messageId: string;
  readonly callId: string;
}

/**
 * AG-UI's view of a run (contract ag-ui, sections 1.3, 2.1, 2.5): a fold over its log that yields
 * event objects in an order that `verifyEvents` of both client generations takes. The same log gives
 * the same events. Nothing is ever null.
 *
 * MESSAGES_SNAPSHOT shows the thread's history and then this run's messages; await `prepare` before `next`.
 */
export class AgUiFold {
  private history: readonly AgUiMessage[];
  private hasHistory = false;
  /** The messages that are shown and have not ended, by message id, in the order in which they began. */
  private readonly open = new Map<string, OpenMessage>();
  private readonly steps = new OpenSteps();
  private readonly subagents = new OpenSubagents();
  private readonly state = new SharedState();
  private readonly parents = new CallParents();
  /** Calls without a result, by call id. Function calls are absent: the client gives their results. */
  private readonly serverCalls = new Map<string, OpenServerCall>();
  /** The run's own messages that have ended, for MESSAGES_SNAPSHOT. */
  private written: Message[] = [];
  /** The last interrupt of the log; the outcome in RUN_FINISHED names its questions. */
  private interrupt: InterruptEvent | undefined;
  /** Whether RUN_STARTED was yielded: a log may have several responses that are not terminal. */
  private started = false;

  constructor(private readonly options: AgUiFoldOptions) {
    this.history = typeof options.history === 'function' ? [] : (options.history ?? []);
  }

  /**
   * Reads the thread's history once, before the first event that may need a snapshot of it.
   *
   * @returns undefined when there is nothing to wait for, so that the caller need not yield
   */
  prepare(events: readonly LoggedEvent[]): Promise<void> | undefined {
    const { history } = this.options;
    if (typeof history !== 'function' || this.hasHistory || !events.some(mayNeedHistory)) return undefined;
    this.hasHistory = true;
    return history().then((messages) => {
      this.history = messages;
    });
  }

  /** The events that the next event of the log is shown as. Expects a legal log, from its beginning. */
  next({ event }: LoggedEvent): readonly AgUiEvent[] {
    switch (event.object) {
      case 'content':
        return this.content(event);
      case 'message':
        return this.message(event);
      case 'response':
        return this.response(event);
      case 'state':
        return owned(this.state.take(event), event.subagent_id);
      case 'step':
        return this.steps.take(event);
      case 'subagent':
        return this.subagents.take(event);
      case 'custom':
        if (event.name === RUN_RECOVERED) return this.recovered(event);
        return owned([{ type: 'CUSTOM', name: event.name, value: event.value }], event.subagent_id);
      case 'raw': {
        const source = event.source === undefined ? {} : { source: event.source };
        return owned([{ type: 'RAW', event: event.event, ...source }], event.subagent_id);
      }
      case 'activity':
        return owned([activityEvent(event)], event.subagent_id);
      case 'interrupt':
        this.interrupt = event;
        return event.reason === 'client_tool' ? [] : [...this.state.snapshot(), this.messagesSnapshot()];
      default:
        return assertUnreachable(event);
    }
  }

  /** RUN_STARTED once; on a terminal status also the end of everything that is open, then the terminal event. */
  private response(event: AgentResponse): AgUiEvent[] {
    const start = this.start();
    if (!isTerminalStatus(event.status)) return start;
    const closing = [...this.closeAll(event.status === 'canceled'), ...this.subagents.closeAll(event, this.interrupt)];
    return [...start, ...closing, ...this.end(event)];
  }

  /** RUN_STARTED on the first call, nothing on later ones. */
  private start(): AgUiEvent[] {
    if (this.started) return [];
    this.started = true;
    const { threadId, runId, parentRunId, input, generation } = this.options;
    return [
      {
        type: 'RUN_STARTED',
        threadId,
        runId,
        ...(generation === 'v1' && { protocolVersion: AG_UI_PROTOCOL_VERSION }),
        ...(parentRunId !== undefined && { parentRunId }),
        ...(input && { input }),
      },
    ];
  }

  /** The terminal event. AG-UI has no outcome for an incomplete run, so a CUSTOM event gives the reason before it. */
  private end(event: AgentResponse): AgUiEvent[] {
    const { threadId, runId, generation, model } = this.options;
    const usage = usageOf(event.usage, model);
    const { error } = event;
    if (event.status === 'failed' || event.status === 'rejected') {
      const { code, message } = error ?? { code: 'AGENT_ERROR', message: 'The agent failed' };
      return [{ type: 'RUN_ERROR', message, code, ...usage }];
    }
    const outcome = outcomeOf(event.status, this.interrupt, generation);
    const finished: AgUiEvent = { type: 'RUN_FINISHED', threadId, runId, ...outcome, ...usage };
    if (event.status !== 'incomplete' || !error) return [finished];
    return [{ type: 'CUSTOM', name: 'run.incomplete', value: { code: error.code, message: error.message } }, finished];
  }

  /** A message may be logged for the first time when it is already complete: then it begins and ends at once. */
  private message(event: Message): AgUiEvent[] {
    const present = this.open.get(event.id);
    if (!isTerminalStatus(event.status)) return present ? [] : this.begin(event);
    const begun = present ? [] : this.begin(event);
    const entity = this.open.get(event.id);
    this.open.delete(event.id);
    this.written.push(event);
    const events = [...begun, ...(entity?.close(event) ?? [])];
    this.trackServerCall(event);
    if (entity?.diverged) events.push(this.messagesSnapshot());
    return events;
  }

  /** Announces a message and shows the contents it already has. A subagent's events carry its id. */
  private begin(event: Message): AgUiEvent[] {
    const parentId = this.parents.add(event);
    const owner = ownerOf(event);
    const message = openMessage(event, parentId);
    const entity = owner === undefined ? message : new OwnedMessage(message, owner);
    this.open.set(event.id, entity);
    return entity.open().concat((event.content ?? []).flatMap((content) => entity.content(content)));
  }

  /** A content of a message that is not open is not shown. */
  private content(event: Content): AgUiEvent[] {
    return this.open.get(event.msg_id ?? '')?.content(event) ?? [];
  }

  /** Remembers which calls of the server wait for their result. */
  private trackServerCall(message: Message): void {
    const kind = kindOfMessage(message);
    const data = message.content?.[0]?.type === 'data' ? message.content[0].data : undefined;
    const callId = data?.['call_id'];
    if (typeof callId !== 'string') return;
    if (kind === 'output') this.serverCalls.delete(callId);
    else if (kind === 'call' && message.type !== 'function_call') {
      this.serverCalls.set(callId, { messageId: message.id, callId });
    }
  }

  /** Ends what is open, inner things first. A stopped run's calls get a result, so that no client waits for one. */
  private closeAll(stopped: boolean): AgUiEvent[] {
    const events = [...this.open].flatMap(([, entity]) => entity.close(undefined));
    this.open.clear();
    if (stopped) {
      for (const { messageId, callId } of this.serverCalls.values()) {
        events.push({
          type: 'TOOL_CALL_RESULT',
          messageId: stoppedResultId(messageId),
          toolCallId: callId,
          content: STOPPED_RESULT,
          role: 'tool',
        });
      }
    }
    events.push(...this.steps.closeAll());
    return events;
  }

  /** The run of a lost worker continues: its incomplete messages are discarded (contract runs-api, section 5). */
  private recovered(event: CustomEvent): AgUiEvent[] {
    const value = event.value as unknown as RunRecovered;
    const discarded = new Set(value.discardedMessageIds);
    const closing = this.closeAll(false);
    this.written = this.written.filter(({ id }) => !discarded.has(id));
    this.parents.reset();
    return [
      ...closing,
      this.messagesSnapshot(),
      ...this.state.snapshot(),
      { type: 'CUSTOM', name: RUN_RECOVERED, value: event.value },
    ];
  }

  /** The thread before this run's output, then the run's own messages that have ended. */
  private messagesSnapshot(): AgUiEvent {
    return {
      type: 'MESSAGES_SNAPSHOT',
      messages: [...this.history, ...toAgUiMessages(this.written, this.options.generation)],
    };
  }
}

/** Activities keep their own id, which is not the id of a message in the log. */
function activityEvent(event: ActivityEvent): AgUiEvent {
  const head = { messageId: event.id, activityType: event.activity_type };
  return event.kind === 'snapshot'
    ? { type: 'ACTIVITY_SNAPSHOT', ...head, content: event.content }
    : { type: 'ACTIVITY_DELTA', ...head, patch: event.patch };
}

/** The object that shows this kind of message. */
function openMessage(message: Message, parentId: string): OpenMessage {
  switch (kindOfMessage(message)) {
    case 'text':
      return new OpenText(message.id);
    case 'reasoning':
      return new OpenReasoning(message.id);
    case 'call':
      return new OpenCall(parentId);
    case 'output':
      return new OpenResult();
    case 'custom':
      return new OpenCustom();
    case 'silent':
      return new OpenSilent();
  }
}

/** True for events that may be answered with MESSAGES_SNAPSHOT. */
function mayNeedHistory({ event }: LoggedEvent): boolean {
  if (event.object === 'custom') return event.name === RUN_RECOVERED;
  if (event.object === 'interrupt') return event.reason !== 'client_tool';
  return event.object === 'content' && event.delta === false && event.status === 'in_progress';
}
