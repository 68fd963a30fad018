import { type Agent, type AgentContext, type AgentOutcome, InputInterrupt } from '../../agent/index.js';
import { AppError } from '../../common/index.js';
import { type AgentEvent, isBuilderEvent, type ResponseBuilder } from '../../events/index.js';
import type { RunWriter } from '../log/run-writer.js';
import { RunStop } from './run-stop.js';

/**
 * Runs an agent to its outcome. At each value the agent yields it waits while the log lags behind.
 * After the signal aborts the agent gets `graceMs()` to come to an end; an agent that does not listen
 * is left behind, and can write nothing any more.
 *
 * @throws whatever the agent throws; the signal's reason when it was stopped
 */
export async function driveAgent(
  agent: Agent,
  context: AgentContext,
  writer: RunWriter,
  graceMs: () => number,
): Promise<AgentOutcome> {
  const { signal } = context;
  signal.throwIfAborted();
  const deadline = abandonAfter(signal, graceMs);
  try {
    return await Promise.race([toOutcome(agent, context, writer), deadline.promise]);
  } finally {
    deadline.clear();
  }
}

async function toOutcome(agent: Agent, context: AgentContext, writer: RunWriter): Promise<AgentOutcome> {
  try {
    return await drain(agent, context, writer);
  } catch (error) {
    if (error instanceof InputInterrupt) return waitFor(error);
    throw error;
  }
}

/** The agent asked a person: the run ends here and waits. */
function waitFor({ asked, question }: InputInterrupt): AgentOutcome {
  const { message, responseSchema = null } = question;
  return { kind: 'interrupted', reason: 'input', message, callIds: [], responseSchema, asked: [asked] };
}

async function drain(agent: Agent, context: AgentContext, writer: RunWriter): Promise<AgentOutcome> {
  const events = agent.run(context);
  for (;;) {
    const step = await events.next();
    if (step.done) {
      // An agent that was done before the signal is done, whatever happens from here on.
      context.signal.throwIfAborted();
      return step.value ?? { kind: 'completed' };
    }
    if (step.value) writeYielded(step.value, context.response, writer);
    const wait = writer.crowded();
    if (wait) await wait;
    if (context.signal.aborted) {
      await events.return(undefined);
      throw context.signal.reason;
    }
  }
}

/** An agent may yield what it has written anyway; of the rest only what is no part of a response. */
function writeYielded(event: AgentEvent, response: ResponseBuilder, writer: RunWriter): void {
  if (isBuilderEvent(event)) {
    if (response.knows(event)) return;
    throw new AppError('AGENT_ERROR', 'An agent may yield only messages that it makes with context.response');
  }
  if (!writer.has(event)) writer.emit(event);
}

function abandonAfter(signal: AbortSignal, graceMs: () => number): { promise: Promise<never>; clear: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => undefined;
  const promise = new Promise<never>((_, reject) => {
    onAbort = () => {
      const reason: unknown = signal.reason;
      timer = setTimeout(() => reject(reason instanceof Error ? reason : new RunStop('cancel')), graceMs());
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  // Nobody awaits it when the agent ends in time.
  promise.catch(() => undefined);
  return {
    promise,
    clear: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
