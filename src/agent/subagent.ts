import { AppError, assertUnreachable, fingerprint, type Json, type JsonObject } from '../common/index.js';
import { type AgentEvent, type ErrorModel, type ResponseBuilder, SUBAGENT_ID, textOf } from '../events/index.js';
import type { AgentContext, Journal, StepRecord } from './agent.js';

/** Describes a subagent. */
export interface SubagentOptions {
  /** Its name, shown to users. */
  readonly name: string;
  /** Shown to users with the name. */
  readonly description?: string;
  /** The tool call that started it. */
  readonly callId?: string;
  /** The agent type whose tools, model, options and policy rules apply to it. Default: that of the context. */
  readonly agentType?: string;
  /**
   * Identifies it in this context; must be the same in every attempt. Default: the name with a number, in the
   * order in which they start. Set it if that order can change, for example for parallel subagents.
   */
  readonly key?: string;
}

/** A part of a run that another agent executes. */
export interface Subagent {
  /** Unique among all subagents of all runs. */
  readonly id: string;
  /** The context for the subagent. Everything written through it is attributed to the subagent. */
  readonly context: AgentContext;
  /** The text that it has written so far, without reasoning and tool calls. */
  text(): string;
  /** Ends it as finished. Has no effect after it has ended. */
  finish(result?: Json): void;
  /** Ends it as failed; the run continues. Has no effect after it has ended. */
  fail(error: ErrorModel): void;
}

/** The paths in use by each execution of a run. */
const paths = new WeakMap<AbortSignal, Set<string>>();

/**
 * Starts a part of the run that another agent executes (contract ag-ui, section 1.3). It writes to the same
 * run, with its own part of the journal. Client tools are available only to the run's own agent. Subagents that
 * have not ended end with the run.
 *
 * @throws AppError AGENT_ERROR if the key is already used
 */
export function beginSubagent(context: AgentContext, options: SubagentOptions): Subagent {
  const path = pathOf(context, options);
  const id = `subagent_${fingerprint([context.runId, path]).slice(0, 32)}`;
  const { name, description, callId } = options;
  context.emit({
    object: 'subagent',
    status: 'started',
    id,
    name,
    ...(description !== undefined && { description }),
    ...(context.subagent && { parent_id: context.subagent.id }),
    ...(callId !== undefined && { call_id: callId }),
  });
  let isOver = false;
  const end = (event: AgentEvent): void => {
    if (!isOver) context.emit(event);
    isOver = true;
  };
  return {
    id,
    context: contextOf(context, id, path, options.agentType ?? context.agentType),
    text: () => textBy(context, id),
    finish: (result) => end({ object: 'subagent', status: 'finished', id, ...(result !== undefined && { result }) }),
    fail: ({ code, message }) => end({ object: 'subagent', status: 'failed', id, error: { code, message } }),
  };
}

/** A path that no other subagent of this execution has. @throws AppError AGENT_ERROR for a repeated key */
function pathOf({ signal, subagent }: AgentContext, { name, key }: SubagentOptions): string {
  const taken = paths.get(signal) ?? new Set();
  paths.set(signal, taken);
  const base = subagent ? `${subagent.path}/` : '';
  let path = `${base}${key ?? `${name}:0`}`;
  if (key === undefined) for (let count = 1; taken.has(path); count += 1) path = `${base}${name}:${count}`;
  else if (taken.has(path)) throw new AppError('AGENT_ERROR', `Two subagents have the key ${key}`);
  taken.add(path);
  return path;
}

/** The same run with a part of the journal, and without the client's tools. */
function contextOf(context: AgentContext, id: string, path: string, agentType: string): AgentContext {
  const prefix = `${fingerprint(path).slice(0, 16)}/`;
  return Object.assign({}, context, {
    agentType,
    subagent: { id, path },
    clientTools: [],
    response: withMetadata(context.response, { [SUBAGENT_ID]: id }),
    journal: new PartJournal(context.journal, prefix),
    usage: context.usage.part(prefix, agentType),
    emit: (event: AgentEvent) => context.emit(ownedBy(event, id)),
  });
}

/** The texts that the subagent has written, joined by empty lines. */
function textBy({ response }: AgentContext, id: string): string {
  return (response.getResponseData().output ?? [])
    .filter(({ type, role, metadata }) => type === 'message' && role === 'assistant' && metadata?.[SUBAGENT_ID] === id)
    .map(textOf)
    .join('\n\n');
}

/** Adds the subagent to an extension event. Messages name it in their metadata; nested subagents are already named. */
function ownedBy(event: AgentEvent, id: string): AgentEvent {
  switch (event.object) {
    case 'state':
    case 'step':
    case 'activity':
    case 'custom':
    case 'raw':
      return event.subagent_id === undefined ? Object.assign({}, event, { subagent_id: id }) : event;
    case 'response':
    case 'message':
    case 'content':
    case 'subagent':
    case 'interrupt':
      return event;
    default:
      return assertUnreachable(event);
  }
}

/** The part of a run's journal that belongs to one subagent: a prefix keeps its keys apart from other steps. */
class PartJournal implements Journal {
  constructor(
    private readonly whole: Journal,
    private readonly prefix: string,
  ) {}

  finished(key: string, inputHash: string): StepRecord | undefined {
    return this.whole.finished(this.keyOf(key), inputHash);
  }

  isFinished(key: string): boolean {
    return this.whole.isFinished(this.keyOf(key));
  }

  inDoubt(key: string): boolean {
    return this.whole.inDoubt(this.keyOf(key));
  }

  begunAt(key: string): number | undefined {
    return this.whole.begunAt(this.keyOf(key));
  }

  begin(key: string, inputHash: string): Promise<void> {
    return this.whole.begin(this.keyOf(key), inputHash);
  }

  finish(key: string, inputHash: string, output: JsonObject, messageIds: readonly string[]): void {
    this.whole.finish(this.keyOf(key), inputHash, output, messageIds);
  }

  fail(key: string, inputHash: string, failure: JsonObject): void {
    this.whole.fail(this.keyOf(key), inputHash, failure);
  }

  private keyOf(key: string): string {
    return `${this.prefix}${key}`;
  }
}

/** A view of a builder that adds `metadata` to all events of the messages that are started through it. */
function withMetadata(builder: ResponseBuilder, metadata: JsonObject): ResponseBuilder {
  const own: Pick<ResponseBuilder, 'createMessageBuilder' | 'addMessage'> = {
    createMessageBuilder: (role, type, more) => builder.createMessageBuilder(role, type, { ...more, ...metadata }),
    addMessage: (message, more) => builder.addMessage(message, { ...more, ...metadata }),
  };
  return new Proxy(builder, {
    get(target, key): unknown {
      if (Object.hasOwn(own, key)) return own[key as keyof typeof own];
      const value = Reflect.get(target, key, target) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
