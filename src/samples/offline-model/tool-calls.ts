import type { ToolDeclaration } from '../../agent/tools/index.js';
import type { JsonObject } from '../../common/index.js';
import { synthesizeArguments } from './arguments.js';
import type { Conversation } from './conversation.js';
import { Evidence } from './evidence.js';
import { contentWords, placesIn, splitIdentifiers, timeZonesIn, WEAK_WORDS } from './text.js';

/** A tool call that the offline model makes. */
export interface PlannedCall {
  readonly name: string;
  readonly arguments: JsonObject;
  /** Required properties for which the text has no value that their pattern allows. */
  readonly missing: readonly string[];
}

/** What the offline model does in a turn: call tools or answer with text. `why` is shown as its reasoning. */
export interface Plan {
  readonly calls: readonly PlannedCall[];
  readonly text: string;
  readonly why: string;
}

const WEATHER = /\bweather\b|\bforecast\b|\btemperature\b|\bis it (?:raining|sunny|snowing)\b|天气|气温/i;
const TIME =
  /\bwhat(?:'s|’s| is)?\s+(?:the\s+)?(?:current\s+|local\s+)?(?:time|date)\b|\bcurrent (?:time|date)\b|\btime is it\b|\bwhat day is\b|几点|(?:现在|当前)的?时间|今天(?:是)?(?:几号|星期几)/i;
/** Requests to add an event to the calendar. */
const SCHEDULE =
  /\b(?:schedule|book|plan|arrange|add|create|put|set up|organi[sz]e)\b.{0,60}\b(?:meeting|appointment|event|call|lunch|dinner|review|interview|calendar|stand-?up|reminder)\b|^\s*(?:please\s+)?schedule\b|(?:安排|预约|预定|添加|创建).{0,20}(?:会议|日程|约会|会)/i;
/** Questions about events in the calendar. */
const LIST_EVENTS =
  /\b(?:list|show|what|which|see|check|any|do i have)\b.{0,40}\b(?:meetings?|appointments?|events?|calendar|schedule|agenda)\b|(?:列出|查看|看看|有什么|有哪些|显示).{0,10}(?:会议|日程|安排)/i;
const NO_TOOLS =
  /\b(?:without|don't|don’t|do not|no)\s+(?:use\s+|using\s+|call\s+|calling\s+)?(?:any\s+)?tools?\b|不要(?:用|使用|调用)工具/i;
/** Questions of the assistant. The user's next text is taken as the answer. */
const ASKS_PLACE = 'For which city?';
const ASKS_WHEN = 'When should it be? Tell me the day and the time.';

/** A plan to answer with text. */
export function say(text: string, why: string): Plan {
  return { calls: [], text, why };
}

function callTools(calls: readonly PlannedCall[], why: string): Plan {
  return { calls, text: '', why };
}

/** Chooses tools for a text, and makes the arguments of their calls. */
export class ToolCalls {
  private readonly usable: readonly ToolDeclaration[];

  /** @param now milliseconds since the epoch, for relative dates if the system prompt states no time */
  constructor(
    private readonly talk: Conversation,
    private readonly tools: readonly ToolDeclaration[],
    private readonly now: number,
  ) {
    this.usable = NO_TOOLS.test(talk.text) ? [] : tools;
  }

  /** Calls tools that the text names, and the tools of known subjects: weather, time, calendar. */
  known(): Plan | undefined {
    const { text, lastReply, chinese } = this.talk;
    const named = namedTools(text, this.usable);
    if (named.length > 0) {
      const calls = named.flatMap((tool) => this.callsOf(tool));
      return callTools(calls, 'The text spells out the name of a tool');
    }
    const weather = this.toolNamed(/(?:^|[_./:-])get_?weather$/i);
    const time = this.toolNamed(/(?:^|[_./:-])get_?current_?time$/i);
    const calls: PlannedCall[] = [];
    const isPlace = lastReply.includes(ASKS_PLACE) && text.length <= 60;
    if (weather && (WEATHER.test(text) || isPlace)) {
      const places = placesIn(isPlace ? `in ${text}` : text);
      if (places.length === 0)
        return say(
          chinese ? `${ASKS_PLACE} 请问是哪个城市？` : ASKS_PLACE,
          'The weather needs a city and none is named',
        );
      calls.push(...places.map((place) => this.call(weather, { place })));
    }
    if (time && TIME.test(text)) {
      const zones = timeZonesIn(text);
      calls.push(...(zones.length === 0 ? [undefined] : zones).map((timeZone) => this.call(time, { timeZone })));
    }
    return calls.length > 0 ? callTools(calls, 'The question is about weather or time') : this.calendar();
  }

  /** Calls the tool whose name and description share the most words with the text, or asks for what the call lacks. */
  byWords(): Plan | undefined {
    const { text, chinese, systemText } = this.talk;
    const tool = bestTool(text, this.usable);
    const planned = tool && this.call(tool, { place: placesIn(text)[0] });
    if (planned && planned.missing.length > 0) {
      const names = planned.missing.map((name) => `"${name}"`).join(' and ');
      const question = chinese
        ? `调用 ${planned.name} 还需要 ${names}。请告诉我。`
        : `I would call ${planned.name}, but I found no value for ${names} in your message. Please name it.`;
      return say(question, 'A tool fits, but one of its arguments is missing');
    }
    if (planned) return callTools([planned], 'The words of the text fit the description of this tool');
    // A tool that the system prompt names is called if all that it requires is in the text for certain.
    const prompted = namedTools(systemText, this.usable)
      .map((one) => this.call(one))
      .find((one) => one.missing.length === 0 && !Object.values(one.arguments).includes(text.trim()));
    return prompted && callTools([prompted], 'The system prompt names this tool');
  }

  /** Calls the tool that fits best, otherwise the first one, because the request requires a call. */
  any(): Plan | undefined {
    const tool = bestTool(this.talk.text, this.tools) ?? this.tools[0];
    return tool && callTools(this.callsOf(tool).slice(0, 1), 'The request wants a tool to be called');
  }

  /** Calls the calendar tools, after asking for a missing time. */
  private calendar(): Plan | undefined {
    const { text, lastReply, userTexts, chinese } = this.talk;
    const list = this.toolNamed(/calendar_?(?:list|read|events)|list_?(?:calendar|events|meetings)/i);
    const write = this.toolNamed(/calendar_?(?:write|create|add)|create_?(?:event|meeting)/i);
    const isTime = lastReply.includes(ASKS_WHEN) && text.length <= 120;
    if (write && (isTime || (SCHEDULE.test(text) && !/^\s*(?:list|show|what|which)\b/i.test(text)))) {
      const planned = isTime ? userTexts.slice(-2).join('\n') : text;
      const question = chinese ? `${ASKS_WHEN} 请告诉我日期和时间。` : ASKS_WHEN;
      if (!this.evidence(planned).moment) return say(question, 'The meeting has no time yet');
      return callTools([this.call(write, {}, planned)], 'A meeting is to be written to the calendar');
    }
    if (!list || !LIST_EVENTS.test(text)) return undefined;
    return callTools([this.call(list)], 'The question is about the calendar');
  }

  private toolNamed(name: RegExp): ToolDeclaration | undefined {
    return this.usable.find((tool) => name.test(tool.name));
  }

  /** One call, or one for each place if the tool is about weather. */
  private callsOf(tool: ToolDeclaration): readonly PlannedCall[] {
    const places = placesIn(this.talk.text);
    const isWeather = /weather/i.test(tool.name) && places.length > 0;
    return (isWeather ? places : [places[0]]).map((place) => this.call(tool, { place }));
  }

  private call(
    tool: ToolDeclaration,
    hints: { readonly place?: string | undefined; readonly timeZone?: string | undefined } = {},
    text = this.talk.text,
  ): PlannedCall {
    const evidence = this.evidence(text, { ...hints, payload: payloadFor(text, tool) });
    return { name: tool.name, arguments: synthesizeArguments(tool.parameters, evidence), missing: evidence.missing };
  }

  private evidence(text: string, hints: object = {}): Evidence {
    return new Evidence(text, { systemText: this.talk.systemText, now: this.now, ...hints });
  }
}

/** Tools with a name of several words that occurs in the text, in the order of the text. */
function namedTools(text: string, tools: readonly ToolDeclaration[]): readonly ToolDeclaration[] {
  const at = ({ name }: ToolDeclaration): number => {
    const escaped = name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    const isIdentifier = /[_\-./:]|\p{Ll}\p{Lu}/u.test(name);
    return isIdentifier ? text.search(new RegExp(`(?<![\\p{L}\\d_])${escaped}(?![\\p{L}\\d_])`, 'u')) : -1;
  };
  return tools.filter((tool) => at(tool) >= 0).sort((a, b) => at(a) - at(b));
}

/** Characters of a description that say what a tool is for; the rest is usage notes. */
const DESCRIPTION_HEAD = 240;
/** The lowest score of a match, and the lowest share of the text's words that must match. */
const THRESHOLD = 2;
const LEAST_SHARE = 0.2;

/** The tool whose name and description share the most words with the text; undefined if they share too few. */
function bestTool(text: string, tools: readonly ToolDeclaration[]): ToolDeclaration | undefined {
  const words = contentWords(text);
  const scored = tools.map((tool) => ({ tool, score: scoreOf(words, tool) }));
  const best = Math.max(THRESHOLD, ...scored.map(({ score }) => score));
  return scored.find(({ score }) => score === best)?.tool;
}

/** Words of the name count twice and words of the description once; common verbs count half. */
function scoreOf(words: ReadonlySet<string>, tool: ToolDeclaration): number {
  const name = contentWords(tool.name);
  const description = contentWords(tool.description.slice(0, DESCRIPTION_HEAD));
  const hits = [...words].filter((word) => name.has(word) || description.has(word));
  const weights = hits.map((word) => (name.has(word) ? 2 : 1) / (WEAK_WORDS.has(word) ? 2 : 1));
  const isWholeName = name.size > 0 && [...name].every((word) => words.has(word));
  const score = weights.reduce((sum, weight) => sum + weight, isWholeName ? 1 : 0);
  return isWholeName || hits.length >= words.size * LEAST_SHARE ? score : 0;
}

/** The text without the command that names the tool: "echo hello" is `hello` for a tool `echo`. */
function payloadFor(text: string, tool: ToolDeclaration): string {
  const words =
    splitIdentifiers(tool.name)
      .toLowerCase()
      .match(/[\p{L}\d]+/gu) ?? [];
  const lead =
    '^\\s*(?:(?:please|can you|could you|now)\\s+)*(?:(?:use|call|run|invoke)\\s+)?(?:the\\s+)?(?:tool\\s+)?';
  const tail = '(?:\\s+tool)?(?:\\s+(?:to|with|and|for|on))*\\s*[:,]?\\s*';
  const name = `["“\`']?${words.join('[\\s_./:-]*')}["”\`']?(?![\\p{L}\\d])`;
  return text.replace(new RegExp(`${lead}${name}${tail}`, 'iu'), '').trim() || text.trim();
}
