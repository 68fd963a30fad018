import type { ClientTool } from './wire.js';

/** The tools that the page can offer. */
export const PAGE_TOOLS: readonly ClientTool[] = [
  {
    name: 'browser_time',
    description: 'The time and the time zone of the browser of the user.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
  },
  {
    name: 'ask_person',
    description: 'Asks the person at the browser a question and returns the answer.',
    parameters: {
      type: 'object',
      properties: { question: { type: 'string', description: 'The question to show.' } },
      required: ['question'],
      additionalProperties: false,
    },
  },
];

/** The result of a call that the page answers itself; undefined if a person has to. */
export function pageAnswer(name: string): string | undefined {
  if (name !== 'browser_time') return undefined;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return JSON.stringify({ time: new Date().toString(), timeZone });
}

/**
 * The tools in a text that a person wrote: a JSON list of `{name, description, parameters}`.
 *
 * @throws Error that says what is wrong
 */
export function toolsIn(text: string): readonly ClientTool[] {
  if (text.trim() === '') return [];
  const value: unknown = JSON.parse(text);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((one) => {
    const { name, description, parameters } = (one ?? {}) as Partial<ClientTool>;
    if (typeof name !== 'string' || name === '') throw new Error('Each tool needs a name');
    return { name, description: description ?? '', parameters: parameters ?? { type: 'object' } };
  });
}
