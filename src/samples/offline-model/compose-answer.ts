import type { ModelRequest, ResponseFormat } from '../../agent/index.js';
import { isPlainObject, type Json, type JsonObject } from '../../common/index.js';
import { synthesizeValue } from './arguments.js';
import { type Conversation, readConversation } from './conversation.js';
import { Evidence } from './evidence.js';
import { type Plan, type PlannedCall, say, ToolCalls } from './tool-calls.js';

/** A whole answer of the offline model, before it is streamed in pieces. */
export interface OfflineAnswer {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly PlannedCall[];
  /** Whether the user wants to see the pieces arrive. */
  readonly slow: boolean;
}

/** Requests to show the reasoning. */
const THINK = /(?<!\bI )\bthink(?:ing)?\b|\bstep by step\b|\bshow your reasoning\b|想一想|思考|一步一步|逐步/i;
const SLOWLY = /\bslow(?:ly|er)?\b|慢慢|缓慢|慢一?点/i;

/**
 * The answer to a request, a pure function of the request and of `now`, in milliseconds since the epoch.
 * `now` is used only for relative dates ("tomorrow") if the system prompt states no time.
 */
export function composeAnswer(request: ModelRequest, now: number): OfflineAnswer {
  const talk = readConversation(request);
  const { calls, text, why } = chosenPlan(talk, request, now);
  const steps = calls.map((call) => `I call ${call.name} with ${JSON.stringify(call.arguments)}.`);
  const thought = [`The user says: "${quoted(talk.text)}". ${why}.`, ...steps].join(' ');
  return {
    reasoning: THINK.test(talk.text) ? thought : '',
    text: calls.length > 0 ? '' : formatAnswer(text, request.options.responseFormat, talk, now),
    calls,
    slow: SLOWLY.test(talk.text),
  };
}

/** The plan, restricted by the request's `toolChoice` and `parallelToolCalls`. */
function chosenPlan(talk: Conversation, request: ModelRequest, now: number): Plan {
  const { toolChoice = 'auto', parallelToolCalls } = request.options;
  const tools = request.tools.filter(({ name }) => typeof toolChoice !== 'object' || name === toolChoice.name);
  const calls = new ToolCalls(talk, toolChoice === 'none' ? [] : tools, now);
  let plan = planFor(talk, calls, request);
  const isForced = toolChoice !== 'auto' && toolChoice !== 'none' && talk.results.length === 0;
  if (isForced && plan.calls.length === 0) plan = calls.any() ?? plan;
  return parallelToolCalls === false ? { ...plan, calls: plan.calls.slice(0, 1) } : plan;
}

/** The first rule that applies decides. */
function planFor(talk: Conversation, calls: ToolCalls, { tools }: ModelRequest): Plan {
  // Once the tools of this turn have answered, no tool is called again, so the model cannot loop.
  if (talk.results.length > 0) return say(talk.results.map(resultSentence).join('\n'), 'The tools have answered');
  const long = longAnswer(talk.text);
  if (long !== undefined) return say(long, 'The user wants a long answer');
  const known = calls.known();
  if (known) return known;
  const greeting = answerGreeting(talk);
  if (greeting !== undefined) return say(greeting, 'I know the answer to this one');
  return (
    calls.byWords() ??
    say(
      answerAnythingElse(
        talk,
        tools.map(({ name }) => name),
      ),
      'No rule applies',
    )
  );
}

/** Longest series of words or numbers. */
const MOST = 10_000;

/** Long answers for trying out streaming, cancelling and slow readers: "repeat 500 words", "count to 100". */
function longAnswer(text: string): string | undefined {
  const words = /\b(?:repeat|say|write|stream|print)\s+(\d[\d,]*)\s+words?\b|(\d+)\s*个(?:词|单词)/i.exec(text);
  const count = /\bcount(?:\s+from\s+1)?\s+(?:up\s+)?to\s+(\d[\d,]*)|数(?:数)?到\s*(\d+)/i.exec(text);
  const [, english, chinese = english] = words ?? count ?? [];
  if (chinese === undefined) return undefined;
  const length = Math.max(1, Number(chinese.replaceAll(',', '')));
  const items = Array.from({ length: Math.min(length, MOST) }, (_, n) => `${words ? 'word' : ''}${n + 1}`).join(' ');
  return length > MOST ? `${items}\n\nI stopped at ${MOST}, which is my limit.` : items;
}

const WHO_ARE_YOU =
  /\bwho (?:are|r) (?:you|u)\b|\bwhat(?:'s|’s| is) your name\b|\bwhat are you\b(?! (?:doing|able))|\bintroduce yourself\b|\b(?:what|which) (?:language )?model\b.{0,20}\byou\b|你是谁|你叫什么|你是什么|介绍.{0,4}自己/i;
const WHO_AM_I =
  /\bwhat(?:'s|’s| is| was) my name\b|\b(?:know|remember) (?:what )?my name\b|\bwho am i\b|我叫(?:什么|啥)|我的名字(?:是|叫)?什么|我是谁/i;
/** The question of the examples in the API document. */
const CAPITAL = /\bcapital of France\b|法国的?首都/i;
/** Two numbers; the first one does not begin within an id or a date, such as 2026-11-25. */
const SUM = /(?<![\w.-])(-?\d{1,12}(?:\.\d{1,6})?)\s*([-+*/x×÷])\s*(-?\d{1,12}(?:\.\d{1,6})?)\s*(?:[=?？.]|$)/;
const HELLO = /^\s*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening))\b[^?]{0,40}$|你好|您好|嗨)/i;
/** Ways in which users give their name. "I'm" needs a capital letter, so that "I'm tired" gives none. */
const NAME = [
  /\b(?:[Mm]y [Nn]ame(?:'s|’s| [Ii]s)|[Cc]all me)\s+(?!(?:what|not|an?|the)\b)(\p{L}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*){0,3})/u,
  /\bI(?:'m|’m| am)\s+(\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]*){0,3})/u,
  /我(?:的名字是|的名字叫|名叫|叫做|叫)\s*(?!什么|啥)([\p{L}\d·]{1,20}?)(?=$|[\s，。,.!！?？、；;])/u,
];

/** Greets, says who the assistant or the user is, and knows a little. */
function answerGreeting(talk: Conversation): string | undefined {
  const { text, persona, chinese } = talk;
  if (WHO_AM_I.test(text)) {
    const name = talk.userTexts.map(nameIn).findLast((found) => found !== undefined);
    if (chinese) return name ? `你的名字是 ${name}。` : '在这段对话里，你还没有告诉我你的名字。';
    return name ? `Your name is ${name}.` : 'You have not told me your name in this conversation.';
  }
  if (WHO_ARE_YOU.test(text))
    return chinese
      ? `我是 ${persona}，运行在 Parley 内置的离线演示模型上。我不是真正的大语言模型，只按固定规则回答。要使用真实模型，请设置环境变量 LLM_BASE_URL、LLM_API_KEY 和 LLM_MODEL（或只设置 DASHSCOPE_API_KEY 或 OPENAI_API_KEY），然后重启服务。`
      : `I am ${persona}, running on Parley's built-in offline demo model. I am not a real language model: I answer by fixed rules, without a key or a network. To use a real model, set the environment variables LLM_BASE_URL, LLM_API_KEY and LLM_MODEL (or just DASHSCOPE_API_KEY or OPENAI_API_KEY) and restart the server.`;
  if (CAPITAL.test(text)) return chinese ? '法国的首都是巴黎。' : 'The capital of France is Paris.';
  const [, left = '', operator = '', right = ''] = SUM.exec(text) ?? [];
  if (operator !== '') return `${left} ${operator} ${right} = ${calculated(Number(left), operator, Number(right))}`;
  const name = nameIn(text);
  if (name !== undefined)
    return chinese
      ? `你好，${name}！我是 ${persona}。我会在这段对话里记住你的名字。`
      : `Hello, ${name}! I am ${persona}. Nice to meet you: I will remember your name in this conversation.`;
  if (!HELLO.test(text)) return undefined;
  return chinese
    ? `你好！我是 ${persona}，运行在 Parley 的离线演示模型上。想试试什么？`
    : `Hello! I am ${persona}, on Parley's offline demo model. What would you like to try?`;
}

function calculated(left: number, operator: string, right: number): number {
  const divided = operator === '/' || operator === '÷' ? left / right : left * right;
  const value = operator === '+' ? left + right : operator === '-' ? left - right : divided;
  return Number(value.toPrecision(12));
}

function nameIn(text: string): string | undefined {
  return NAME.map((pattern) => pattern.exec(text)?.[1]).find((name) => name !== undefined);
}

/** The last resort: repeats the user's text and says what the offline model can do. */
function answerAnythingElse({ text, persona, chinese, attachments }: Conversation, tools: readonly string[]): string {
  const quote = quoted(text);
  const names = tools.slice(0, 8).join(', ');
  if (chinese) {
    const seen = attachments > 0 ? `我收到了 ${attachments} 个附件，但离线演示模型看不到其中的内容。` : '';
    return `${seen}${quote ? `你说：“${quote}”。` : ''}我是 ${persona}，运行在 Parley 的离线演示模型上，不能真正回答这个问题。我能做的有：记住你的名字，说明我是谁，调用工具${names ? `（${names}）` : ''}，展示思考过程（“想一想”），以及数数（“数到 50”）。设置 LLM_BASE_URL 等环境变量即可使用真实模型。`;
  }
  const seen =
    attachments > 0
      ? `I received ${attachments} attachment${attachments > 1 ? 's' : ''}, but as an offline demo model I cannot see ${attachments > 1 ? 'them' : 'it'}. `
      : '';
  return `${seen}${quote ? `You said: "${quote}". ` : ''}I am ${persona} on Parley's offline demo model, so I cannot really answer that. What I can do: remember your name, say who I am, call tools${names ? ` (${names})` : ''}, show reasoning when asked to think, and stream long answers ("count to 50 slowly"). Configure a real model with LLM_BASE_URL, LLM_API_KEY and LLM_MODEL.`;
}

/** The user's text, cut to 80 characters. */
function quoted(text: string): string {
  return cut(text.replace(/\s+/g, ' ').trim(), 80);
}

function cut(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text;
}

/** An answer in the requested format: text, a JSON object, or an instance of a schema with values from the user's text. */
function formatAnswer(text: string, format: ResponseFormat | undefined, talk: Conversation, now: number): string {
  if (format === undefined || format.type === 'text') return text;
  if (format.type === 'json_object') return JSON.stringify({ answer: text });
  const evidence = new Evidence(talk.text, { systemText: talk.systemText, now });
  return JSON.stringify(synthesizeValue(format.schema, evidence));
}

/** Characters of a tool result that are quoted. */
const LONGEST = 1_500;

/** One tool result as a sentence. Results of the sample tools get their own wording. */
function resultSentence({ name, content }: Conversation['results'][number]): string {
  const value = parsed(content);
  const fields = isPlainObject(value) ? value : {};
  const { city: place, ...others } = fields;
  const words = cut(wordsOf(value), LONGEST);
  if ('error' in fields || fields['isError'] === true) return `The tool ${name} did not succeed: ${words}.`;
  if (name === 'calendar_write' && 'title' in fields) {
    return `${fields['status'] === 'already_there' ? 'Already in your calendar' : 'Scheduled'}: ${eventLine(fields)}.`;
  }
  if (name === 'calendar_list' && Array.isArray(fields['events'])) return cut(eventList(fields), LONGEST);
  if (/weather/i.test(name) && typeof place === 'string')
    return `Weather for ${place}: ${closed(cut(wordsOf(others), LONGEST))}`;
  if (/current_?time/i.test(name)) return `The current time: ${closed(words)}`;
  return words === '' ? `The tool ${name} answered with nothing.` : `The tool ${name} answered: ${closed(words)}`;
}

/** A JSON value in words: `temperature: 21, unit: celsius`. */
function wordsOf(value: Json, depth = 0): string {
  if (value === null) return 'none';
  if (typeof value !== 'object') return String(value);
  if (depth > 3) return JSON.stringify(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => wordsOf(item, depth + 1));
    return items.join(value.some((item) => isPlainObject(item)) ? '; ' : ', ') || 'nothing';
  }
  const entries = Object.entries(value).map(
    ([key, item]) => `${key.replace(/[_-]+/g, ' ')}: ${wordsOf(item, depth + 1)}`,
  );
  return entries.join(', ') || 'nothing';
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

function eventList({ events, more }: JsonObject): string {
  const lines = (Array.isArray(events) ? events : []).map((event) => `\n- ${eventLine(event as JsonObject)}`);
  if (lines.length === 0) return 'Your calendar has no events there.';
  const count = lines.length === 1 ? 'one event' : `${lines.length} events`;
  return `Your calendar has ${count}:${lines.join('')}${more === true ? ' There are more.' : ''}`;
}

/** `Meeting with Ana, Tuesday 2026-03-17, 15:00 to 16:00 (Asia/Shanghai)` */
function eventLine(event: JsonObject): string {
  const text = (key: string): string => (typeof event[key] === 'string' ? event[key] : '');
  const [[date, from], [lastDate, until]] = [text('start'), text('end')].map((at) => at.slice(0, 16).split('T')) as [
    string[],
    string[],
  ];
  const end = lastDate === date ? until : `${lastDate} ${until}`;
  return `${text('title')}, ${text('weekday')} ${date}, ${from} to ${end} (${text('event_timezone')})`;
}
