import type { ToolDeclaration } from '../../tools/index.js';
import { contentWords, splitIdentifiers, WEAK_WORDS } from './words.js';

/** How much of a description says what a tool is for; the rest is usage notes. */
const DESCRIPTION_HEAD = 240;
const THRESHOLD = 2;
const LEAST_SHARE = 0.2;

/** Tools whose identifier the text spells out, in the order of the text. */
export function namedTools(text: string, tools: readonly ToolDeclaration[]): readonly ToolDeclaration[] {
  return tools
    .map((tool) => ({ tool, at: identifierAt(text, tool.name) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ tool }) => tool);
}

/** The tool whose name and description share the most words with the text, when they share enough. */
export function bestTool(text: string, tools: readonly ToolDeclaration[]): ToolDeclaration | undefined {
  const words = contentWords(text);
  let best: { tool: ToolDeclaration; score: number } | undefined;
  for (const tool of tools) {
    const score = scoreOf(words, tool);
    if (score >= THRESHOLD && (!best || score > best.score)) best = { tool, score };
  }
  return best?.tool;
}

/** The text without the command that names the tool: "echo hello" is `hello` for a tool `echo`. */
export function payloadFor(text: string, tool: ToolDeclaration): string {
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

function identifierAt(text: string, name: string): number {
  if (!/[_\-./:]|\p{Ll}\p{Lu}/u.test(name)) return -1;
  const escaped = name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return text.search(new RegExp(`(?<![\\p{L}\\d_])${escaped}(?![\\p{L}\\d_])`, 'u'));
}

/** A word of the name counts twice, unless half of all tools have it; a word of the description once. */
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
