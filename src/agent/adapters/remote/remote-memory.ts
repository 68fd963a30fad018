import type { JsonObject } from '../../../common/index.js';
import type { AgentContext } from '../../agent.js';
import type { RemoteAgentConfig } from '../../remote/remote-config.js';
import type { ToldCall } from './remote-calls.js';
import type { KeptExchange, Opened, RemoteReader, Turn } from './remote-kind.js';
import { keptState } from './remote-turn.js';
import type { RemoteWriter } from './remote-writer.js';
import type { WrittenPart } from './remote-writer.types.js';

/** The most that a run keeps of an exchange for the next one, in characters of JSON. */
const LARGEST_KEPT = 256 * 1024;

/** What later exchanges need of one: the upstream's ids, what it has said, and what it has asked for. */
export class RemoteMemory {
  private readonly calls: Record<string, string> = {};
  private readonly approvals: Record<string, string> = {};
  private readonly messages: Record<string, string> = {};

  constructor(
    private readonly context: AgentContext,
    private readonly parts: {
      readonly config: Pick<RemoteAgentConfig, 'name'>;
      readonly writer: RemoteWriter;
      readonly turn: Pick<Turn, 'id' | 'conversation'>;
    },
    private readonly reader: Pick<RemoteReader, 'shown'>,
  ) {}

  /** Calls that were told, by this attempt or an earlier one. */
  noteCalls(calls: readonly ToldCall[]): void {
    for (const { upstreamId, callId } of calls) if (upstreamId !== callId) this.calls[callId] = upstreamId;
  }

  /** What is stored with the messages of a boundary, for later runs. */
  atBoundary(part: WrittenPart, { handle, isKept }: Opened): JsonObject {
    this.noteCalls(part.calls);
    Object.assign(this.approvals, part.approvals);
    Object.assign(this.messages, part.messages);
    const { calls, approvals } = this;
    // Of messages those of this boundary are enough: they are stored with it.
    const { messages } = part;
    const { conversation } = this.parts.turn;
    return keptState(this.parts.config.name, {
      ...{ handle, isKept, conversation, calls, approvals, messages },
      ...this.forDecisions(),
    });
  }

  /** What the next exchange of the same run gets, which answers the questions of this one. */
  forAnswers({ handle }: Opened): JsonObject {
    Object.assign(this.messages, this.parts.writer.boundMessages);
    // They are in no history yet.
    const said = { messages: this.context.response.messagesFrom(0), ids: this.messages };
    const text = JSON.stringify(said);
    const kept = text.length <= LARGEST_KEPT ? (JSON.parse(text) as JsonObject) : {};
    return { ...kept, ...this.whatWasShown(), handle };
  }

  /** What the exchange needs that tells the decisions on the approvals of this one. */
  private forDecisions(): Pick<KeptExchange, 'asked' | 'shown'> {
    const { writer, turn } = this.parts;
    if (writer.asked.length === 0) return {};
    const { questions } = writer;
    return { ...(questions.length > 0 && { asked: { exchange: turn.id, questions } }), ...this.whatWasShown() };
  }

  private whatWasShown(): Pick<KeptExchange, 'shown'> {
    const shown = this.reader.shown?.(this.parts.writer);
    return shown === undefined ? {} : { shown };
  }
}
