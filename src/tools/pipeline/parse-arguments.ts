import { isPlainObject, type JsonObject } from '../../common/index.js';

/** Arguments that can be used, or a sentence for the model. */
export type ParsedArguments = { readonly args: JsonObject } | { readonly problem: string };

/** Reads the JSON text a model wrote. Models write nothing at all for a tool without arguments. */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { args: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (isPlainObject(value)) return { args: value as JsonObject };
  } catch {
    return { problem: 'The arguments are not valid JSON. Call the tool again with a JSON object.' };
  }
  return { problem: 'The arguments must be a JSON object. Call the tool again with one.' };
}
