import fc from 'fast-check';
import { SequentialIds, type JsonObject } from '../../common/index.js';
import {
  BuilderError,
  CONTENT_TYPES,
  MESSAGE_TYPES,
  ResponseBuilder,
  ROLES,
  RUN_RECOVERED,
  serializeEvent,
  type AgentEvent,
  type AgentResponse,
  type BuilderEvent,
  type ContentBuilder,
  type ContentInput,
  type Message,
  type MessageBuilder,
} from '../index.js';

const clock = { now: () => 1_795_253_520_000 };

/** One random call: what to do, to which message and content, with which values. */
export interface Call {
  readonly what: (typeof CALLS)[number];
  readonly message: number;
  readonly content: number;
  readonly text: string;
  readonly data: JsonObject;
  readonly type: (typeof CONTENT_TYPES)[number];
}

const ENDINGS = ['completed', 'failed', 'canceled', 'incomplete', 'rejected'] as const;
const CALLS = [
  'created',
  'inProgress',
  'createMessage',
  'createMessage',
  'createMessage',
  'message.created',
  'message.inProgress',
  'createContent',
  'createContent',
  'createContent',
  'createContent',
  'createContentAt',
  'addContent',
  'addContent',
  'addDeltaContent',
  'addDeltaContent',
  'contentCompleted',
  'message.complete',
  'message.incomplete',
  'message.canceled',
  'message.fail',
  'addMessage',
  'updateMessage',
  'discard',
  'delta',
  'delta',
  'delta',
  'delta',
  'delta',
  'wrongDelta',
  'set',
  'set',
  'wrongSet',
  'updateData',
  'content.complete',
  'content.complete',
  'content.incomplete',
] as const;

const texts = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', '\ud800', '"\\\u0000\n'),
);
const objects = fc.dictionary(
  fc.oneof(fc.constantFrom('a', 'b', '__proto__'), fc.string({ maxLength: 3 })),
  fc.jsonValue({ maxDepth: 2 }),
  {
    maxKeys: 3,
  },
) as fc.Arbitrary<JsonObject>;
/** Random programs of builder calls. */
export const calls: fc.Arbitrary<Call[]> = fc.array(
  fc.record({
    what: fc.constantFrom(...CALLS),
    message: fc.nat(3),
    content: fc.nat(3),
    text: texts,
    data: objects,
    type: fc.constantFrom('text', 'data', 'text', 'data', ...CONTENT_TYPES),
  }),
  { minLength: 4, maxLength: 40, size: 'max' },
);
/** The ways a response may end. */
export const endings = fc.constantFrom(...ENDINGS);

/** Runs random calls, legal and illegal, and checks that the illegal ones leave no trace. */
export class Interpreter {
  readonly log: AgentEvent[] = [];
  readonly texts: string[] = [];
  readonly response: ResponseBuilder;
  private readonly messages: MessageBuilder[] = [];
  private readonly contents: ContentBuilder[] = [];
  refused = 0;

  constructor(resume?: AgentResponse, ids = new SequentialIds()) {
    this.response = new ResponseBuilder({ sessionId: 's', ids, clock, resume, sink: (event) => this.take(event) });
    this.messages.push(...this.response.openMessages());
  }

  run(program: readonly Call[]): void {
    for (const call of program) this.try(() => this.call(call));
  }

  end(ending: (typeof ENDINGS)[number]): void {
    const error = { code: 'AGENT_ERROR', message: 'boom' };
    if (ending === 'completed') this.response.completed();
    else if (ending === 'canceled') this.response.canceled();
    else this.response[ending](error);
  }

  try(action: () => void): void {
    const before = this.log.length;
    const data = this.response.getResponseData();
    try {
      action();
    } catch (error) {
      expect(error).toBeInstanceOf(BuilderError);
      expect(this.log.length).toBe(before);
      expect(this.response.getResponseData()).toEqual(data);
      this.refused++;
    }
  }

  private take(event: BuilderEvent): void {
    this.log.push(event);
    this.texts.push(serializeEvent(event));
  }

  private call(call: Call): void {
    const { what, text, data, type } = call;
    // Mostly the latest ones: programs that go deep find more than programs that only bump into closed things.
    const message = this.messages.at(-1 - (call.message % 2)) ?? this.messages.at(-1);
    const content = this.contents.at(-1 - (call.content % 2)) ?? this.contents.at(-1);
    if (what === 'created') this.response.created();
    else if (what === 'inProgress') this.response.inProgress();
    else if (what === 'createMessage') {
      const role = ROLES[call.content] ?? 'assistant';
      this.messages.push(this.response.createMessageBuilder(role, MESSAGE_TYPES[call.message]));
    } else if (what === 'addMessage' || what === 'updateMessage') this.response[what](wholeMessage(call));
    else if (what === 'discard') this.discard(call.message);
    else if (message && this.callMessage(message, call)) return;
    else if (!content) return;
    else if (what === 'delta') addPiece(content, content.type, text, data);
    else if (what === 'wrongDelta') addPiece(content, type, text, data);
    else if (what === 'updateData') content.updateData(text, data);
    else if (what === 'content.complete') content.complete();
    else if (what === 'content.incomplete') content.incomplete();
    else if (what === 'set') setAny(content, content.type, text, data);
    else if (what === 'wrongSet') setAny(content, type, text, data);
  }

  private callMessage(message: MessageBuilder, { what, content, text, data, type }: Call): boolean {
    if (what === 'message.created') message.created();
    else if (what === 'message.inProgress') message.inProgress();
    else if (what === 'createContent') this.contents.push(message.createContentBuilder(type));
    else if (what === 'createContentAt') this.contents.push(message.createContentBuilder(type, content));
    else if (what === 'addContent') message.addContent(input(type, text, data));
    else if (what === 'addDeltaContent')
      message.addDeltaContent({ ...input(type, text, data), index: content, delta: text.length > 2 });
    else if (what === 'contentCompleted') message.contentCompleted(content);
    else if (what === 'message.complete')
      message.complete({ usage: { input_tokens: 1, output_tokens: text.length }, metadata: data });
    else if (what === 'message.incomplete') message.incomplete();
    else if (what === 'message.canceled') message.canceled();
    else if (what === 'message.fail') message.fail({ code: 'AGENT_ERROR', message: text });
    else return false;
    return true;
  }

  private discard(index: number): void {
    const id = this.response.getResponseData().output?.[index]?.id;
    if (id === undefined) return;
    // As a run that is recovered does it: no message stays open.
    for (const message of this.response.openMessages()) {
      if (message.id !== id) message.incomplete();
    }
    this.response.discard([id]);
    this.log.push({ object: 'custom', name: RUN_RECOVERED, value: { attempt: 2, discardedMessageIds: [id] } });
    this.texts.push(serializeEvent(this.log.at(-1)!));
  }
}

function input(type: Call['type'], text: string, data: JsonObject): ContentInput {
  const payloads = { text, image_url: text, video_url: text, refusal: text, format: 'wav', file_id: text };
  return { ...payloads, type, data: type === 'data' ? data : text } as ContentInput;
}

function addPiece(content: ContentBuilder, type: Call['type'], text: string, data: JsonObject): void {
  if (type === 'refusal') content.addRefusalDelta(text);
  else if (type === 'data') content.addDataDelta(data);
  else content.addTextDelta(text);
}

function setAny(content: ContentBuilder, type: Call['type'], text: string, data: JsonObject): void {
  if (type === 'text') content.setText(text);
  else if (type === 'refusal') content.setRefusal(text);
  else if (type === 'image') content.setImageUrl(text);
  else if (type === 'data') content.setData(data);
  else if (type === 'audio') content.setAudio(text, 'wav');
  else if (type === 'file') content.setFile({ file_url: text });
  else content.setVideoUrl(text);
}

function wholeMessage({ message, content, text, data, type }: Call): Message {
  const closed = content % 2 === 0;
  const contents = [input(type, text, data), input('text', text, data)].slice(0, content);
  return {
    object: 'message',
    status: closed ? 'completed' : 'in_progress',
    id: `msg_${message + 1}`,
    type: 'message',
    role: 'user',
    content: contents.map((one) => ({ ...one, status: closed ? 'completed' : null }) as never),
    code: null,
    message: null,
    usage: null,
    metadata: closed ? data : null,
  };
}

/** Ids of a later attempt: no collision with the first's. */
export class LaterIds extends SequentialIds {
  override next(prefix: string): string {
    return super.next(`later_${prefix}`);
  }
}
