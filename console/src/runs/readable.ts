import { isObject } from '../lib/format.js';

/** A text, or a value with a name. */
export type Part = string | { readonly label: string; readonly value: unknown };

/** What a message says, and who says it. */
export function readable(value: unknown): { readonly role: string; readonly parts: readonly Part[] } {
  const message = isObject(value) ? value : {};
  if (Array.isArray(message['toolCalls'])) return { role: 'assistant', parts: answerParts(message) };
  if (typeof message['output'] === 'string' && typeof message['name'] === 'string') {
    const name = message['name'];
    return { role: `result of ${name}`, parts: [partOf(message['output'], `Result of ${name}`)] };
  }
  const content: readonly unknown[] = Array.isArray(message['content']) ? message['content'] : [];
  const role = typeof message['role'] === 'string' ? message['role'] : 'message';
  return { role, parts: content.filter(isObject).flatMap(contentParts) };
}

function answerParts({ text, refusal, toolCalls }: Record<string, unknown>): readonly Part[] {
  const words = [text, refusal].filter((one): one is string => typeof one === 'string' && one !== '');
  const calls = (toolCalls as readonly { readonly name: string; readonly arguments: string }[]).flatMap(
    ({ name, arguments: args }): Part[] => [`Calls ${name}`, { label: `Arguments of ${name}`, value: args }],
  );
  return [...words, ...calls];
}

function contentParts({ type, text, refusal, data, image_url: image }: Record<string, unknown>): readonly Part[] {
  if (typeof text === 'string') return [text];
  if (typeof refusal === 'string') return [refusal];
  if (isObject(data)) return [{ label: 'Data', value: data }];
  if (typeof image === 'string') return ['(an image)'];
  return typeof type === 'string' ? [`(${type})`] : [];
}

/** A text that is JSON is shown as what it says. */
function partOf(text: string, label: string): Part {
  return /^\s*[[{]/.test(text) ? { label, value: text } : text;
}
