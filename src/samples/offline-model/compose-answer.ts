import type { ModelRequest, ResponseFormat } from '../../agent/index.js';
import type { Json, JsonObject } from '../../common/index.js';
import { synthesizeArguments } from './argument-synthesis.js';
import {
  type Conversation,
  type Plan,
  type PlannedCall,
  readConversation,
  say,
  type ToolAnswer,
} from './conversation.js';
import { Evidence } from './evidence.js';
import { isObject, SchemaView, typeOf } from './schema-view.js';
import {
  answerAnythingElse,
  answerCourtesy,
  answerFact,
  answerIdentity,
  answerName,
  attachmentNotice,
  quoted,
} from './small-talk.js';
import { planAnyTool, planByWords, planKnownTools } from './tool-plan.js';

/** A whole answer of the offline model, before it is streamed in pieces. */
export interface OfflineAnswer {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly PlannedCall[];
  readonly slow: boolean;
}

/** Requests to show the reasoning. */
const THINK =
  /(?<!\bI )\bthink(?:ing)?\b|\bstep by step\b|\bshow your reasoning\b|\breason (?:about|through)\b|想一想|思考|一步一步|逐步/i;

/**
 * The answer to a request, a pure function of the request and of `now`, in milliseconds since the epoch.
 * `now` is used only for relative dates ("tomorrow") if the system prompt states no time.
 */
export function composeAnswer(request: ModelRequest, now: number): OfflineAnswer {
  const talk = readConversation(request);
  const plan = chosenPlan(talk, request, now);
  return {
    reasoning: THINK.test(talk.text) ? reasoningOf(talk, plan) : '',
    text: plan.kind === 'text' ? formatAnswer(plan.text, request.options.responseFormat, talk, now) : '',
    calls: plan.kind === 'calls' ? plan.calls : [],
    slow: wantsSlowly(talk.text),
  };
}

/** The plan, restricted by the request's `toolChoice` and `parallelToolCalls`. */
function chosenPlan(talk: Conversation, request: ModelRequest, now: number): Plan {
  const { toolChoice = 'auto', parallelToolCalls } = request.options;
  if (toolChoice === 'none') return planFor(talk, { ...request, tools: [] }, now);
  const tools =
    typeof toolChoice === 'object' ? request.tools.filter(({ name }) => name === toolChoice.name) : request.tools;
  const free = planFor(talk, { ...request, tools }, now);
  const isForced = toolChoice !== 'auto' && free.kind === 'text' && talk.results.length === 0;
  const plan = isForced ? (planAnyTool(talk, tools, now) ?? free) : free;
  if (plan.kind === 'text' || parallelToolCalls !== false) return plan;
  return { ...plan, calls: plan.calls.slice(0, 1) };
}

/** The first rule that applies decides: tools that have answered, long answers, tools, small talk, facts. */
function planFor(talk: Conversation, { tools }: ModelRequest, now: number): Plan {
  // Once the tools of this turn have answered, no tool is called again, so the model cannot loop.
  if (talk.results.length > 0)
    return say(answerFromResults(talk.results), 'The tools have answered, so I tell what they said');
  const long = answerLong(talk.text);
  if (long !== undefined) return say(long, 'A long answer is wanted');
  const known = planKnownTools(talk, tools, now);
  if (known) return known;
  const notice = attachmentNotice(talk);
  const personal = answerIdentity(talk) ?? answerName(talk);
  if (personal !== undefined) return say(joined(notice, personal), 'The question is about who somebody is');
  const courtesy = answerCourtesy(talk);
  const fact = courtesy ?? answerFact(talk.text);
  if (fact !== undefined) return say(joined(notice, fact), 'I know the answer to this one');
  const byWords = planByWords(talk, tools, now);
  if (byWords) return byWords;
  return say(notice ?? answerAnythingElse(talk, tools), 'I know no rule for this, so I say what I can do');
}

function joined(notice: string | undefined, text: string): string {
  return notice === undefined ? text : `${notice} ${text}`;
}

/** The offline model does not reason; its reasoning text names the rule that it applied. */
function reasoningOf(talk: Conversation, plan: Plan): string {
  const lines = [`The user says: "${quoted(talk.text)}".`, `${plan.why}.`];
  if (plan.kind === 'calls') {
    lines.push(...plan.calls.map((call) => `I call ${call.name} with ${JSON.stringify(call.arguments)}.`));
  } else {
    lines.push('No tool has to be called, so I answer in text.');
  }
  return lines.join(' ');
}

/** Longest series of words or numbers. */
const MOST = 10_000;

/** Long answers for trying out streaming, cancelling and slow readers: "repeat 500 words", "count to 100". */
function answerLong(text: string): string | undefined {
  const words =
    /\b(?:repeat|say|write|stream|generate|print|give me)\s+(\d[\d,]*)\s+words?\b|(\d+)\s*个(?:词|单词)/i.exec(text);
  if (words) return series(numberOf(words[1] ?? words[2]), (n) => `word${n}`, 1);
  const times = /\b(?:repeat|say|write)\s+(?:the word\s+)?["“']?([\p{L}\d-]{1,40})["”']?\s+(\d[\d,]*)\s+times\b/iu.exec(
    text,
  );
  if (times) return series(numberOf(times[2]), () => times[1] ?? '', 1);
  const count = /\bcount\s+(?:from\s+(\d{1,9})\s+)?(?:up\s+)?to\s+(\d[\d,]*)|数到\s*(\d+)/i.exec(text);
  if (!count) return undefined;
  const first = count[1] === undefined ? 1 : Number(count[1]);
  return series(numberOf(count[2] ?? count[3]) - first + 1, String, first);
}

/** True if the user asks for a slow stream. */
function wantsSlowly(text: string): boolean {
  return /\bslow(?:ly|er)?\b|慢慢|缓慢|慢一?点/i.test(text);
}

/** A series of items separated by spaces, of at most 10,000 items. */
function series(length: number, item: (n: number) => string, first: number): string {
  const size = Math.max(1, Math.min(length, MOST));
  const items = Array.from({ length: size }, (_, index) => item(first + index)).join(' ');
  return length > MOST ? `${items}\n\nI stopped at ${MOST}, which is my limit.` : items;
}

function numberOf(digits: string | undefined): number {
  return Number((digits ?? '0').replaceAll(',', ''));
}

/**
 * An answer in the requested format: the text itself, the text in a JSON object, or an instance of the
 * schema with values from the user's text. `now` is in milliseconds since the epoch.
 */
function formatAnswer(text: string, format: ResponseFormat | undefined, talk: Conversation, now: number): string {
  if (format === undefined || format.type === 'text') return text;
  if (format.type === 'json_object') return JSON.stringify({ answer: text });
  const evidence = new Evidence(talk.text, { systemText: talk.systemText, now });
  const { schema } = format;
  if (typeOf(new SchemaView(schema).resolve(schema)) === 'object')
    return JSON.stringify(synthesizeArguments(schema, evidence));
  return JSON.stringify(synthesizeArguments(inObject(schema), evidence)['value']);
}

/** Arguments are always objects, so any other value is synthesized as the only property of an object. */
function inObject(schema: JsonObject): JsonObject {
  const { $defs, definitions } = schema;
  return {
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    type: 'object',
    properties: { value: schema },
    required: ['value'],
  };
}

/** Longest quotation of a tool result, in characters. */
const LONGEST = 1_500;

/** Answers in text from the results of the tools, without adding anything. */
function answerFromResults(results: readonly ToolAnswer[]): string {
  return results.map(sentenceOf).join('\n');
}

/** One tool result as a sentence. Results of the sample tools get their own wording. */
function sentenceOf({ name, content }: ToolAnswer): string {
  const value = parsed(content);
  const words = cut(wordsOf(value));
  if (isObject(value) && ('error' in value || value['isError'] === true))
    return `The tool ${name} did not succeed: ${words}.`;
  const planned = isObject(value) ? calendarSentence(name, value) : undefined;
  if (planned !== undefined) return cut(planned);
  const place = isObject(value) ? (value['city'] ?? value['location'] ?? value['place']) : undefined;
  if (/weather/i.test(name))
    return `Weather${typeof place === 'string' ? ` for ${place}` : ''}: ${closed(withoutPlace(value, place, words))}`;
  if (/current_?time/i.test(name)) return `The current time: ${closed(words)}`;
  return words === '' ? `The tool ${name} answered with nothing.` : `The tool ${name} answered: ${closed(words)}`;
}

/** The result in words without its place, which the sentence has already named. */
function withoutPlace(value: Json, place: Json | undefined, words: string): string {
  if (!isObject(value) || typeof place !== 'string') return words;
  const rest = Object.fromEntries(
    Object.entries(value).filter(([key]) => !['city', 'location', 'place'].includes(key)),
  );
  return cut(wordsOf(rest));
}

/** A JSON value in words: `temperature: 21, unit: celsius`. */
function wordsOf(value: Json, depth = 0): string {
  if (value === null) return 'none';
  if (typeof value !== 'object') return String(value);
  if (depth > 3) return JSON.stringify(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return 'nothing';
    return value.map((item) => wordsOf(item, depth + 1)).join(value.some(isObject) ? '; ' : ', ');
  }
  const entries = Object.entries(value).map(
    ([key, item]) => `${key.replace(/[_-]+/g, ' ')}: ${wordsOf(item, depth + 1)}`,
  );
  return entries.length === 0 ? 'nothing' : entries.join(', ');
}

function parsed(content: string): Json {
  try {
    return JSON.parse(content) as Json;
  } catch {
    return content.trim();
  }
}

/** A text that ends with a punctuation mark. */
function closed(text: string): string {
  return /[.!?。！？…]$/.test(text) ? text : `${text}.`;
}

function cut(text: string): string {
  const characters = Array.from(text);
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : text;
}

/** The result of a calendar tool as a sentence; undefined for other tools. */
function calendarSentence(name: string, value: JsonObject): string | undefined {
  if (name === 'calendar_write' && 'title' in value) {
    const lead = value['status'] === 'already_there' ? 'Already in your calendar' : 'Scheduled';
    return `${lead}: ${eventLine(value)}.`;
  }
  if (name !== 'calendar_list' || !Array.isArray(value['events'])) return undefined;
  const events = value['events'].filter(isObject);
  if (events.length === 0) return 'Your calendar has no events there.';
  const count = events.length === 1 ? 'one event' : `${events.length} events`;
  const more = value['more'] === true ? ' There are more.' : '';
  return `Your calendar has ${count}:\n${events.map((event) => `- ${eventLine(event)}`).join('\n')}${more}`;
}

/** `Meeting with Ana, Tuesday 2026-03-17, 15:00 to 16:00 (Asia/Shanghai)` */
function eventLine(event: JsonObject): string {
  const [date = '', from = ''] = clock(event['start']);
  const [lastDate = '', until = ''] = clock(event['end']);
  const end = lastDate === date ? until : `${lastDate} ${until}`;
  return `${text(event['title'])}, ${text(event['weekday'])} ${date}, ${from} to ${end} (${text(event['event_timezone'])})`;
}

/** The date and the time `HH:mm` of an RFC 3339 date-time. */
function clock(value: Json | undefined): string[] {
  return text(value).slice(0, 16).split('T');
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
