import { type Agent, type AgentContext, type AgentOutcome, InputInterrupt } from '../../agent/index.js';
import { AppError } from '../../common/index.js';
import { type AgentEvent, isBuilderEvent, type ResponseBuilder } from '../../events/index.js';
import type { RunWriter } from '../log/run-writer.js';
import { RunStop } from './run-control.js';

/**
 * Runs an agent to its outcome. After each value the agent yields it waits while too many events are uncommitted.
 * After the signal aborts the agent has `graceMs()` to end; an agent that ignores the signal is abandoned,
 * and can write nothing more.
 *
 * @throws whatever the agent throws; the signal's reason when it was stopped
 */
export async function runAgent(
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
    if (error instanceof InputInterrupt) return interruptedBy(error);
    throw error;
  }
}

/** The agent asked for an input: the run ends here and waits. */
function interruptedBy({ asked, question }: InputInterrupt): AgentOutcome {
  const { message, responseSchema = null } = question;
  return { kind: 'interrupted', reason: 'input', message, callIds: [], responseSchema, asked: [asked] };
}

async function drain(agent: Agent, context: AgentContext, writer: RunWriter): Promise<AgentOutcome> {
  const events = agent.run(context);
  for (;;) {
    const step = await events.next();
    if (step.done) {
      // The outcome of an agent that ended before the signal counts.
      context.signal.throwIfAborted();
      return step.value ?? { kind: 'completed' };
    }
    if (step.value) writeYielded(step.value, context.response, writer);
    const wait = writer.highWater();
    if (wait) await wait;
    if (context.signal.aborted) {
      await events.return(undefined);
      throw context.signal.reason;
    }
  }
}

/** Writes what the agent yields, unless the builder has written it. Only events that are not part of a response may be new. */
function writeYielded(event: AgentEvent, response: ResponseBuilder, writer: RunWriter): void {
  if (isBuilderEvent(event)) {
    if (response.knows(event)) return;
    throw new AppError('AGENT_ERROR', 'An agent may only yield messages that it created with context.response');
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
  // Not awaited when the agent ends in time.
  promise.catch(() => undefined);
  return {
    promise,
    clear: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
