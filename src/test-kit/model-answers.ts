import type { JsonObject } from '../common/index.js';
import type { ModelRequest } from '../agent/index.js';
import { args, call, finish, reasoning, ScriptedModelClient, type ScriptStep, text } from './scripted-model-client.js';

/** What the model does in one call. */
export type ModelAnswer = readonly ScriptStep[];

/** A tool call of an answer: the tool and its arguments. */
export type ScriptedCall = readonly [name: string, args: JsonObject];

/** An answer with a text, in the given pieces. */
export function say(...pieces: readonly string[]): ModelAnswer {
  return [...pieces.map(text), finish()];
}

/** An answer that reasons before it says something. */
export function think(thought: string, words: string): ModelAnswer {
  return [reasoning(thought), text(words), finish()];
}

/** An answer that calls one tool. */
export function callTool(name: string, input: JsonObject = {}): ModelAnswer {
  return callTools([name, input]);
}

/** An answer that calls several tools at once. */
export function callTools(...calls: readonly ScriptedCall[]): ModelAnswer {
  const steps = calls.flatMap(([name, input], index) => [call(index, name, ''), args(index, JSON.stringify(input))]);
  return [...steps, finish('tool-calls')];
}

/** An answer that fails. @param error an `AppError` with a MODEL_* code for the error of a provider */
export function fail(error: Error): ModelAnswer {
  return [{ type: 'throw', error }];
}

/**
 * A model that gives these answers, one for each call, in order; or what a function says.
 *
 * A call beyond the last answer fails the run, and `TestServer.run` then throws an error that says so. What the model was
 * asked is in `requests`.
 */
export function scriptedModel(
  answers: readonly ModelAnswer[] | ((request: ModelRequest, call: number) => ModelAnswer),
): ScriptedModelClient {
  return new ScriptedModelClient(answers);
}
