import type { Json, JsonObject } from '../../../common/index.js';
import {
  type ActivityEvent,
  type AgentResponse,
  CALL_TYPES,
  type Content,
  dataOf,
  type InterruptEvent,
  isTerminalStatus,
  type LoggedEvent,
  type Message,
  type OpenInterrupt,
  OUTPUT_TYPES,
  ResponseFold,
  RUN_RECOVERED,
  SUBAGENT_ID,
  type SubagentEvent,
} from '../../../events/index.js';
import type { CallData } from '../mcp.types.js';
import { callResult, isAnswer, type Said, saidIn } from './call-result.js';
import { type Form, formOf } from './forms.js';
import { resultMessage } from './result-message.js';

/** What a run of a call needs to know of the runs before it. */
export interface FoldContext {
  readonly said: Said;
  /** How many events they have. */
  readonly events: number;
  /** The question that a form is open for although it was decided elsewhere. */
  readonly overtaken: string | undefined;
}

/** The context of the first run of a call. */
export const FIRST_RUN: FoldContext = { said: { messages: [], usage: undefined }, events: 0, overtaken: undefined };

/** How a run is shown. */
export interface McpFoldOptions {
  readonly data: CallData;
  readonly runId: string;
  readonly sessionId: string;
  readonly agent: string;
  /** Whether the run calls a tool of the server without a model. */
  readonly isTool: boolean;
  /** With addresses that whoever reads may use. */
  readonly shown: (message: Message) => Message;
  /** The state that a modern client hands back with its answers. @param at milliseconds since the epoch */
  readonly state: (at: number) => string;
}

/** A message for the client. */
export interface FoldMessage {
  readonly json: JsonObject;
  /** Whether it answers the request: nothing follows. */
  readonly isResult: boolean;
}

const NONE: readonly FoldMessage[] = [];
/** Characters of an answer between two reports. */
const REPORT_EVERY = 2048;

/**
 * The log of one run of a call as the messages for its client (contract mcp-server, section 8). The same log gives the same
 * messages: nothing depends on the clock.
 */
export class McpFold {
  /** Set before the first event. */
  context: FoldContext | undefined;
  private readonly response = new ResponseFold();
  private readonly answers = new Set<string>();
  private readonly tools = new Map<string, string>();
  private readonly subagents = new Map<string, string>();
  private characters = 0;
  private reported = 0;
  private hasStarted = false;
  private asked: InterruptEvent | undefined;

  constructor(readonly options: McpFoldOptions) {}

  /** The messages of the next event: mostly none. */
  next(logged: LoggedEvent): readonly FoldMessage[] {
    const { event, seq } = logged;
    this.response.apply(event);
    switch (event.object) {
      case 'response':
        return this.ofResponse(event, logged);
      case 'message':
        return this.ofMessage(event, seq);
      case 'content':
        return this.ofContent(event, seq);
      case 'activity':
        return this.ofActivity(event, seq);
      case 'subagent':
        return this.ofSubagent(event, seq);
      case 'custom':
        return event.name === RUN_RECOVERED ? this.progress(seq, 'resumed after an interruption') : NONE;
      case 'interrupt':
        this.asked = event;
        return NONE;
      case 'state':
      case 'step':
      case 'raw':
        return NONE;
    }
  }

  /** The answer for a client that cannot be kept waiting: what there is so far. */
  early(): JsonObject {
    const status = this.asked && this.response.isEnded ? 'waiting' : 'in_progress';
    const said = this.said(this.response.response());
    const waitingFor = this.asked?.items;
    return resultMessage(
      this.options.data,
      callResult({ ...this.outcome, ...said, status, ...(waitingFor && { waitingFor }) }),
    );
  }

  private get outcome() {
    const { data, sessionId, isTool } = this.options;
    return { runId: data.call, sessionId, isTool };
  }

  private ofResponse(event: AgentResponse, { seq, at }: LoggedEvent): readonly FoldMessage[] {
    if (isTerminalStatus(event.status)) return this.ended(event, at);
    if (event.status !== 'in_progress' || this.hasStarted) return NONE;
    this.hasStarted = true;
    const { overtaken } = this.context ?? FIRST_RUN;
    const started = this.progress(seq, overtaken === undefined && !this.isContinued ? 'started' : 'goes on');
    if (overtaken === undefined) return started;
    const params = { requestId: overtaken, reason: 'It was decided elsewhere.' };
    const json = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
    return [{ json, isResult: false }, ...started];
  }

  private get isContinued(): boolean {
    return this.options.runId !== this.options.data.call;
  }

  private ended(event: AgentResponse, at: number): readonly FoldMessage[] {
    const said = this.said(this.response.response());
    const { asked } = this;
    if (asked) return [this.question(asked, said, at)];
    const { status, error } = event;
    const isFailed = status === 'failed' || status === 'rejected';
    const outcome = isFailed ? 'failed' : status === 'canceled' ? 'stopped' : 'completed';
    return [this.result(callResult({ ...this.outcome, ...said, status: outcome, error }))];
  }

  /** A form where the client has them, else that somebody has to decide. */
  private question(asked: InterruptEvent, said: Said, at: number): FoldMessage {
    const { data, agent } = this.options;
    const forms = data.asks ? asked.items.flatMap((item) => formOf(item, agent) ?? []) : [];
    const [first] = forms;
    if (!first)
      return this.result(callResult({ ...this.outcome, ...said, status: 'waiting', waitingFor: itemsOf(asked) }));
    if (data.era === 'legacy') {
      return {
        json: { jsonrpc: '2.0', id: first.id, method: 'elicitation/create', params: first.params },
        isResult: false,
      };
    }
    return { json: resultMessage(data, inputRequired(forms, this.options.state(at))), isResult: true };
  }

  private ofMessage(event: Message, seq: number): readonly FoldMessage[] {
    const { id, status, type } = event;
    if (isAnswer(event)) this.answers.add(id);
    if (!isTerminalStatus(status) || typeof event.metadata?.[SUBAGENT_ID] === 'string') return NONE;
    const data = dataOf(event);
    const callId = data?.['call_id'];
    if (typeof callId !== 'string') return NONE;
    if (CALL_TYPES.includes(type)) {
      const name = textOr(data?.['name'], callId);
      this.tools.set(callId, name);
      return this.progress(seq, `calls ${name}`);
    }
    if (!OUTPUT_TYPES.includes(type)) return NONE;
    const name = textOr(data?.['name'], this.tools.get(callId) ?? callId);
    return this.progress(seq, `${name} ${event.metadata?.['is_error'] === true ? 'failed' : 'done'}`);
  }

  private ofContent(event: Content, seq: number): readonly FoldMessage[] {
    if (event.type !== 'text' || event.delta !== true || !this.answers.has(event.msg_id ?? '')) return NONE;
    this.characters += event.text?.length ?? 0;
    if (this.characters - this.reported < REPORT_EVERY) return NONE;
    this.reported = this.characters;
    return this.progress(seq, `writing, ${this.characters} characters`);
  }

  private ofActivity(event: ActivityEvent, seq: number): readonly FoldMessage[] {
    if (event.kind !== 'snapshot' || event.activity_type !== 'tool_progress') return NONE;
    const { message, name, progress, total } = event.content;
    if (typeof message === 'string' && message !== '') return this.progress(seq, message);
    const done = typeof progress === 'number' ? progress : 0;
    const share = typeof total === 'number' ? `${done} of ${total}` : `${done}`;
    return this.progress(seq, `${textOr(name, 'a tool')}: ${share}`);
  }

  private ofSubagent(event: SubagentEvent, seq: number): readonly FoldMessage[] {
    if (event.status === 'started') {
      this.subagents.set(event.id, event.name);
      return this.progress(seq, `asks ${event.name}`);
    }
    const name = this.subagents.get(event.id) ?? 'a subagent';
    return this.progress(seq, `${name} ${event.status === 'failed' ? 'failed' : 'done'}`);
  }

  private said(response: AgentResponse | undefined): Said {
    const { said } = this.context ?? FIRST_RUN;
    const all = saidIn(said, response);
    return { ...all, messages: all.messages.map((message) => this.options.shown(message)) };
  }

  private progress(seq: number, message: string): readonly FoldMessage[] {
    const { token } = this.options.data;
    if (token === undefined) return NONE;
    const progress = (this.context ?? FIRST_RUN).events + seq;
    const params = { progressToken: token, progress, message };
    return [{ json: { jsonrpc: '2.0', method: 'notifications/progress', params }, isResult: false }];
  }

  private result(result: JsonObject): FoldMessage {
    return { json: resultMessage(this.options.data, result), isResult: true };
  }
}

function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

/** What a modern client is asked for in place of a result. */
export function inputRequired(forms: readonly Form[], requestState: string): JsonObject {
  return { resultType: 'input_required', inputRequests: inputRequests(forms), requestState };
}

/** The forms by the ids of their questions. */
export function inputRequests(forms: readonly Form[]): JsonObject {
  return Object.fromEntries(forms.map(({ id, params }) => [id, { method: 'elicitation/create', params }]));
}

/** What an agent asks that lists nothing itself. */
function itemsOf({ items, id, reason, message }: InterruptEvent): readonly OpenInterrupt[] {
  if (items.length > 0) return items;
  const kind = reason === 'approval' ? 'approval' : 'input';
  const rest = { call_id: null, tool_name: null, arguments: null, server_label: null, reason: null };
  return [{ id, kind, ...rest, message, response_schema: null, may_edit: false, expires_at: null }];
}
