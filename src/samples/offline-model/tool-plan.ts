import type { ToolDeclaration } from '../../tools/index.js';
import { synthesizeArguments } from './argument-synthesis.js';
import { type Conversation, type Plan, type PlannedCall, say } from './conversation.js';
import { Evidence, type EvidenceOptions } from './evidence.js';
import { contentWords, placesIn, splitIdentifiers, timeZonesIn, WEAK_WORDS } from './text-parsing.js';

/** Questions about the weather. */
const WEATHER =
  /\bweather\b|\bforecast\b|\btemperature\b|\bhow (?:hot|cold|warm) is it\b|\bis it (?:raining|sunny|snowing)\b|天气|气温/i;
/** Questions about the time or the date. */
const TIME =
  /\bwhat(?:'s|’s| is)?\s+(?:the\s+)?(?:current\s+|local\s+)?(?:time|date)\b|\b(?:current|local) (?:time|date)\b|\btime is it\b|\bwhat day is\b|\btoday(?:'s|’s) date\b|\btell me the time\b|几点|(?:现在|当前)的?时间|今天(?:是)?(?:几号|星期几|周几|日期)/i;
/** Requests to add an event to the calendar. */
const SCHEDULE =
  /\b(?:schedule|book|plan|arrange|add|create|put|set up|organi[sz]e)\b.{0,60}\b(?:meeting|appointment|event|call|lunch|dinner|review|interview|calendar|stand-?up|reminder)\b|^\s*(?:please\s+)?schedule\b|(?:安排|预约|预定|添加|创建).{0,20}(?:会议|日程|约会|会)/i;
/** Questions about events in the calendar. */
const LIST_EVENTS =
  /\b(?:list|show|what|which|see|check|any|do i have)\b.{0,40}\b(?:meetings?|appointments?|events?|calendar|schedule|agenda)\b|(?:列出|查看|看看|有什么|有哪些|显示).{0,10}(?:会议|日程|安排)/i;
/** Requests to use no tools. */
const NO_TOOLS =
  /\b(?:without|don't|don’t|do not|no)\s+(?:use\s+|using\s+|call\s+|calling\s+)?(?:any\s+)?tools?\b|不要(?:用|使用|调用)工具/i;
/** Questions of the assistant. The next user text is taken as their answer. */
const ASKS_PLACE = 'For which city?';
const ASKS_WHEN = 'When should it be? Tell me the day and the time.';

/** Selects tools whose name the text contains, and the tools of known subjects: weather, time, calendar. */
export function planKnownTools(talk: Conversation, tools: readonly ToolDeclaration[], now: number): Plan | undefined {
  if (NO_TOOLS.test(talk.text)) return undefined;
  const spelled = namedTools(talk.text, tools);
  if (spelled.length > 0)
    return calls(
      spelled.flatMap((tool) => callsOf(tool, talk, now)),
      'The text spells out the name of a tool',
    );
  const weather = toolNamed(tools, /^(?:.*[_./:-])?get_?weather$/i);
  const time = toolNamed(tools, /^(?:.*[_./:-])?get_?current_?time$/i);
  const made: PlannedCall[] = [];
  const isPlaceAnswer = talk.lastReply.includes(ASKS_PLACE) && talk.text.length <= 60;
  if (weather && (WEATHER.test(talk.text) || isPlaceAnswer)) {
    const cities = isPlaceAnswer ? placesIn(`in ${talk.text}`) : placesIn(talk.text);
    if (cities.length === 0)
      return say(
        talk.chinese ? `${ASKS_PLACE} 请问是哪个城市？` : ASKS_PLACE,
        'The weather needs a city and none is named',
      );
    made.push(...cities.map((place) => call(weather, talk, { now, place })));
  }
  if (time && TIME.test(talk.text)) made.push(...timeCalls(time, talk, now));
  if (made.length > 0) return calls(made, 'The question is about weather or time');
  return planCalendar(talk, tools, now);
}

/** Selects the tool whose name or description shares the most words with the text. Asks for what it needs of the user. */
export function planByWords(talk: Conversation, tools: readonly ToolDeclaration[], now: number): Plan | undefined {
  if (NO_TOOLS.test(talk.text)) return undefined;
  const tool = bestTool(talk.text, tools);
  if (!tool) return planByPrompt(talk, tools, now);
  const planned = call(tool, talk, { now, place: placesIn(talk.text)[0] });
  if (planned.missing.length === 0) return calls([planned], 'The words of the text fit what this tool says of itself');
  const names = planned.missing.map((name) => `"${name}"`).join(' and ');
  return say(
    talk.chinese
      ? `调用 ${tool.name} 还需要 ${names}。请告诉我。`
      : `I would call ${tool.name}, but I found no value for ${names} in your message. Please name it.`,
    'A tool fits, but one of its arguments is missing',
  );
}

/** Selects a tool that the system prompt names, if the text has all that it requires in a form that is certain. */
function planByPrompt(talk: Conversation, tools: readonly ToolDeclaration[], now: number): Plan | undefined {
  for (const tool of namedTools(talk.systemText, tools)) {
    const planned = call(tool, talk, { now });
    const isCertain = Object.values(planned.arguments).every((value) => value !== talk.text.trim());
    if (isCertain && planned.missing.length === 0) return calls([planned], 'The system prompt names this tool');
  }
  return undefined;
}

/** Calls the tool that matches the words best, otherwise the first one, because the request requires a call. */
export function planAnyTool(talk: Conversation, tools: readonly ToolDeclaration[], now: number): Plan | undefined {
  const tool = bestTool(talk.text, tools) ?? tools[0];
  return tool && calls(callsOf(tool, talk, now).slice(0, 1), 'The request wants a tool to be called');
}

/** Calls the calendar tools, after asking for a missing time. */
function planCalendar(talk: Conversation, tools: readonly ToolDeclaration[], now: number): Plan | undefined {
  const list = toolNamed(tools, /calendar_?(?:list|read|events)|list_?(?:calendar|events|meetings)/i);
  const write = toolNamed(tools, /calendar_?(?:write|create|add)|create_?(?:event|meeting)/i);
  const asked = talk.lastReply.includes(ASKS_WHEN) && talk.text.length <= 120;
  if (write && (asked || (SCHEDULE.test(talk.text) && !/^\s*(?:list|show|what|which)\b/i.test(talk.text)))) {
    const text = asked ? talk.userTexts.slice(-2).join('\n') : talk.text;
    const planned = { ...talk, text };
    if (!new Evidence(text, evidenceOptions(talk, { now })).moment) {
      return say(talk.chinese ? `${ASKS_WHEN} 请告诉我日期和时间。` : ASKS_WHEN, 'The meeting has no time yet');
    }
    return calls([call(write, planned, { now })], 'A meeting is to be written to the calendar');
  }
  return list && LIST_EVENTS.test(talk.text)
    ? calls([call(list, talk, { now })], 'The calendar is asked for')
    : undefined;
}

/** One call, or one for each place if the tool is about weather. */
function callsOf(tool: ToolDeclaration, talk: Conversation, now: number): readonly PlannedCall[] {
  const places = placesIn(talk.text);
  if (/weather/i.test(tool.name) && places.length > 0) return places.map((place) => call(tool, talk, { now, place }));
  return [call(tool, talk, { now, place: places[0] })];
}

/** One call for each time zone that the text names. */
function timeCalls(tool: ToolDeclaration, talk: Conversation, now: number): readonly PlannedCall[] {
  const zones = timeZonesIn(talk.text);
  if (zones.length === 0) return [call(tool, talk, { now })];
  return zones.map((timeZone) => call(tool, talk, { now, timeZone }));
}

/** What is known about one call besides the text. */
interface CallHints {
  readonly now: number;
  readonly place?: string | undefined;
  readonly timeZone?: string;
}

function call(tool: ToolDeclaration, talk: Conversation, hints: CallHints): PlannedCall {
  const options = { ...evidenceOptions(talk, hints), payload: payloadFor(talk.text, tool) };
  const evidence = new Evidence(talk.text, options);
  return { name: tool.name, arguments: synthesizeArguments(tool.parameters, evidence), missing: evidence.missing };
}

function evidenceOptions(talk: Conversation, { now, place, timeZone }: CallHints): EvidenceOptions {
  return {
    systemText: talk.systemText,
    now,
    ...(place === undefined ? {} : { place }),
    ...(timeZone === undefined ? {} : { timeZone }),
  };
}

function calls(planned: readonly PlannedCall[], why: string): Plan {
  return { kind: 'calls', calls: planned, why };
}

function toolNamed(tools: readonly ToolDeclaration[], name: RegExp): ToolDeclaration | undefined {
  return tools.find((tool) => name.test(tool.name));
}

/** Characters of a description that say what a tool is for; the rest is usage notes. */
const DESCRIPTION_HEAD = 240;
/** The lowest score of a match. */
const THRESHOLD = 2;
/** The lowest share of the text's words that must match. */
const LEAST_SHARE = 0.2;

/** Tools whose identifier occurs in the text, in the order of the text. */
function namedTools(text: string, tools: readonly ToolDeclaration[]): readonly ToolDeclaration[] {
  return tools
    .map((tool) => ({ tool, at: identifierAt(text, tool.name) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ tool }) => tool);
}

/** The tool whose name and description share the most words with the text; undefined if they share too few. */
function bestTool(text: string, tools: readonly ToolDeclaration[]): ToolDeclaration | undefined {
  const words = contentWords(text);
  let best: { tool: ToolDeclaration; score: number } | undefined;
  for (const tool of tools) {
    const score = scoreOf(words, tool);
    if (score >= THRESHOLD && (!best || score > best.score)) best = { tool, score };
  }
  return best?.tool;
}

/** The text without the command that names the tool: "echo hello" is `hello` for a tool `echo`. */
function payloadFor(text: string, tool: ToolDeclaration): string {
  const name = splitIdentifiers(tool.name)
    .toLowerCase()
    .replace(/[^\p{L}\d ]/gu, '')
    .split(' ')
    .filter(Boolean)
    .join('[\\s_./:-]*');
  const lead =
    '^\\s*(?:(?:please|can you|could you|now)\\s+)*(?:(?:use|call|run|invoke)\\s+)?(?:the\\s+)?(?:tool\\s+)?';
  const tail = '(?:\\s+tool)?(?:\\s+(?:to|with|and|for|on))*\\s*[:,]?\\s*';
  const match = new RegExp(`${lead}["“\`']?${name}["”\`']?(?![\\p{L}\\d])${tail}`, 'iu').exec(text);
  return (match ? text.slice(match[0].length) : text).trim() || text.trim();
}

/** The position of a tool's name in the text; -1 if it does not occur or is an ordinary word. */
function identifierAt(text: string, name: string): number {
  if (!/[_\-./:]|\p{Ll}\p{Lu}/u.test(name)) return -1;
  const escaped = name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return text.search(new RegExp(`(?<![\\p{L}\\d_])${escaped}(?![\\p{L}\\d_])`, 'u'));
}

/** Words of the name count twice and words of the description once; common verbs count half. */
function scoreOf(words: ReadonlySet<string>, tool: ToolDeclaration): number {
  if (words.size === 0) return 0;
  const nameWords = contentWords(tool.name);
  const described = contentWords(tool.description.slice(0, DESCRIPTION_HEAD));
  let score = 0;
  let hits = 0;
  for (const word of words) {
    if (nameWords.has(word)) score += WEAK_WORDS.has(word) ? 1 : 2;
    else if (described.has(word)) score += WEAK_WORDS.has(word) ? 0.5 : 1;
    else continue;
    hits += 1;
  }
  const isWholeName = nameWords.size > 0 && [...nameWords].every((word) => words.has(word));
  if (isWholeName) score += 1;
  return isWholeName || hits / words.size >= LEAST_SHARE ? score : 0;
}
