/** The most that are offered. */
const MOST = 4;
const QUOTED = /["“„«]([^"“”„«»]{3,200})["”“»]/g;

/**
 * What a person may say first to an agent: the sentences that its description has in quotation marks, such as
 * `Answers questions about orders: "Where is my order A-1001?"`.
 */
export function suggestionsIn(description: string): readonly string[] {
  const found = [...description.matchAll(QUOTED)].map(([, sentence = '']) => sentence.trim());
  return [...new Set(found.filter((sentence) => sentence.includes(' ')))].slice(0, MOST);
}
