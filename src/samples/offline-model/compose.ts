import type { ModelRequest } from '../../agent/index.js';
import { type Conversation, readConversation } from './conversation.js';
import { answerFact } from './facts.js';
import { formatAnswer } from './formatted-answer.js';
import { answerIdentity, answerName } from './identity.js';
import { answerLong, wantsSlowly } from './long-answer.js';
import type { Plan, PlannedCall } from './plan.js';
import { say } from './plan.js';
import { answerFromResults } from './result-answer.js';
import { answerAnythingElse, answerCourtesy, attachmentNotice, quoted } from './small-talk.js';
import { planAnyTool, planByWords, planKnownTools } from './tool-plan.js';

/** Everything that one answer of the offline model consists of, before it is cut and streamed. */
export interface OfflineAnswer {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly PlannedCall[];
  readonly slow: boolean;
}

const THINK =
  /(?<!\bI )\bthink(?:ing)?\b|\bstep by step\b|\bshow your reasoning\b|\breason (?:about|through)\b|想一想|思考|一步一步|逐步/i;

/**
 * The answer to a request: a pure function of the request and of `now`, which counts only when a
 * relative date ("tomorrow") is needed and the system prompt does not tell the time.
 */
export function composeAnswer(request: ModelRequest, now: number): OfflineAnswer {
  const talk = readConversation(request);
  const plan = chosenPlan(talk, request, now);
  return {
    reasoning: THINK.test(talk.text) ? reasoningOf(talk, plan) : '',
    text: plan.kind === 'text' ? formatAnswer(plan.text, request.options.responseFormat, talk, now) : '',
    calls: plan.kind === 'calls' ? plan.calls : [],
    slow: wantsSlowly(talk.text),
  };
}

/** The plan within what the request allows of tools. */
function chosenPlan(talk: Conversation, request: ModelRequest, now: number): Plan {
  const { toolChoice = 'auto', parallelToolCalls } = request.options;
  if (toolChoice === 'none') return planFor(talk, { ...request, tools: [] }, now);
  const tools =
    typeof toolChoice === 'object' ? request.tools.filter(({ name }) => name === toolChoice.name) : request.tools;
  const free = planFor(talk, { ...request, tools }, now);
  const isForced = toolChoice !== 'auto' && free.kind === 'text' && talk.results.length === 0;
  const plan = isForced ? (planAnyTool(talk, tools, now) ?? free) : free;
  if (plan.kind === 'text' || parallelToolCalls !== false) return plan;
  return { ...plan, calls: plan.calls.slice(0, 1) };
}

function planFor(talk: Conversation, { tools }: ModelRequest, now: number): Plan {
  // Once the tools of this turn have answered, no tool is called again: the model cannot loop.
  if (talk.results.length > 0)
    return say(answerFromResults(talk.results), 'The tools have answered, so I tell what they said');
  const long = answerLong(talk.text);
  if (long !== undefined) return say(long, 'A long answer is wanted');
  const known = planKnownTools(talk, tools, now);
  if (known) return known;
  const notice = attachmentNotice(talk);
  const personal = answerIdentity(talk) ?? answerName(talk);
  if (personal !== undefined) return say(joined(notice, personal), 'The question is about who somebody is');
  const courtesy = answerCourtesy(talk);
  const fact = courtesy ?? answerFact(talk.text);
  if (fact !== undefined) return say(joined(notice, fact), 'I know the answer to this one');
  const byWords = planByWords(talk, tools, now);
  if (byWords) return byWords;
  return say(notice ?? answerAnythingElse(talk, tools), 'I know no rule for this, so I say what I can do');
}

function joined(notice: string | undefined, text: string): string {
  return notice === undefined ? text : `${notice} ${text}`;
}

/** The offline model does not think: it says which rule it follows, and that is all there is. */
function reasoningOf(talk: Conversation, plan: Plan): string {
  const lines = [`The user says: "${quoted(talk.text)}".`, `${plan.why}.`];
  if (plan.kind === 'calls') {
    lines.push(...plan.calls.map((call) => `I call ${call.name} with ${JSON.stringify(call.arguments)}.`));
  } else {
    lines.push('No tool has to be called, so I answer in text.');
  }
  return lines.join(' ');
}
