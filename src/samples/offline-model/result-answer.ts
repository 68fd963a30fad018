import type { Json } from '../../common/index.js';
import type { ToolAnswer } from './conversation.js';
import { calendarSentence } from './calendar-answer.js';
import { isObject } from './schema-view.js';

const LONGEST = 1_500;

/** Answers in text from what the tools said; nothing is added to it. */
export function answerFromResults(results: readonly ToolAnswer[]): string {
  return results.map(sentenceOf).join('\n');
}

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

function withoutPlace(value: Json, place: Json | undefined, words: string): string {
  if (!isObject(value) || typeof place !== 'string') return words;
  const rest = Object.fromEntries(
    Object.entries(value).filter(([key]) => !['city', 'location', 'place'].includes(key)),
  );
  return cut(wordsOf(rest));
}

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

function closed(text: string): string {
  return /[.!?。！？…]$/.test(text) ? text : `${text}.`;
}

function cut(text: string): string {
  const characters = Array.from(text);
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : text;
}
