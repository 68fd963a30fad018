import { isDeepStrictEqual } from 'node:util';
import { exactObjectIn, type Json, withIntegerTexts } from '../../common/index.js';
import type { AgentContext } from '../agent.js';

/** The name of the event that announces predicted state (contract ag-ui, section 5). */
const PREDICT_STATE = 'PredictState';

/** Maps a tool argument to a member of the shared state, which clients can show while the model is writing it. */
export interface PredictedState {
  /** The member of the state. */
  readonly stateKey: string;
  /** The tool whose argument it is. */
  readonly tool: string;
  /** The argument that becomes its value. */
  readonly argument: string;
}

/** A tool call as the model made it. */
interface MadeCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** Announces what the arguments of a tool will become. Must be written before the call is shown. */
export function announcePrediction(
  context: Pick<AgentContext, 'emit'>,
  predicted: readonly PredictedState[],
  toolName: string,
): void {
  const value = predicted
    .filter(({ tool }) => tool === toolName)
    .map(({ stateKey, tool, argument }) => ({ state_key: stateKey, tool, tool_argument: argument }));
  if (value.length > 0) context.emit({ object: 'custom', name: PREDICT_STATE, value });
}

/** Writes the predicted arguments of successful calls to the shared state, unless it already has these values. */
export function keepPredicted(
  { state }: Pick<AgentContext, 'state'>,
  predicted: readonly PredictedState[],
  calls: readonly MadeCall[],
  results: readonly { readonly callId: string; readonly isError: boolean }[],
): void {
  const succeeded = new Set(results.filter(({ isError }) => !isError).map(({ callId }) => callId));
  for (const call of calls.filter(({ id }) => succeeded.has(id))) {
    for (const { stateKey, argument } of predicted.filter(({ tool }) => tool === call.name)) {
      const value = argumentOf(call.arguments, argument);
      if (value === undefined || isDeepStrictEqual(state.get()[stateKey], value)) continue;
      state.patch([{ op: 'add', path: `/${stateKey.replaceAll('~', '~0').replaceAll('/', '~1')}`, value }]);
    }
  }
}

/** Undefined for invalid JSON and for a missing argument. */
function argumentOf(text: string, name: string): Json | undefined {
  const args = exactObjectIn(text);
  // The state is JSON for every reader, so that integers beyond 2^53 are text in it.
  return args && Object.hasOwn(args, name) ? withIntegerTexts(args[name] ?? null) : undefined;
}
