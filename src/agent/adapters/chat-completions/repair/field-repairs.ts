import type { RuleChange } from '../profiles/wire-rules.js';
import { isAboutValue, isDenial, namedIn, type Refused, type Repair, type RepairRow } from './repair.js';

/** Members that have repairs of their own, or that no request can be without. */
const OWN: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'tools', 'tool_choice', 'response_format']);
const PENALTIES = ['frequency_penalty', 'presence_penalty'];
/** What reasoning models refuse together. */
const SAMPLING = ['temperature', 'top_p', ...PENALTIES, 'logprobs', 'top_logprobs'];

/** The members that set how hard a model thinks. */
const THINKING = ['reasoning_effort', 'reasoning', 'thinking', 'enable_thinking', 'chat_template_kwargs'];
/** What an answer can do without. */
const OPTIONAL = [...SAMPLING, 'stop', 'seed', 'parallel_tool_calls', ...THINKING];

/** "Function tools with reasoning_effort are not supported". */
const effortWithTools: RepairRow = ({ refusal, sent, rules }) => {
  const isAbout =
    /reasoning[_. ]effort/i.test(refusal.text) && /\b(function )?(tools?|tool calling|functions)\b/i.test(refusal.text);
  if (!isAbout || sent.toolNames.length === 0 || rules.toolsEffort !== null) return undefined;
  if (sent.members['reasoning_effort'] === 'none') return undefined;
  return {
    kind: 'effort-none',
    change: { toolsEffort: 'none' },
    says: 'with reasoning_effort "none" if they have tools',
  };
};

const limit: RepairRow = ({ refusal, sent, rules }) => {
  const other = rules.limit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  if (sent.members[rules.limit] === undefined || isAboutValue(refusal)) return undefined;
  if (!isDenial(refusal) || !isNamed(refusal, rules.limit)) return undefined;
  return { kind: 'limit', change: { limit: other }, says: `with ${other} instead of ${rules.limit}` };
};

const usage: RepairRow = ({ refusal, sent }) => {
  const isAbout = /stream[_ ]options|include_usage/i.test(refusal.text) && sent.members['stream_options'] !== undefined;
  return isAbout ? { kind: 'usage', change: { streamUsage: false }, says: 'without stream_options' } : undefined;
};

const sampling: RepairRow = (refused) => {
  const { refusal, sent } = refused;
  const isFixed =
    /only (be set to |the default )?(\(?1\)?|[\d.]+)[^.]{0,20} (is|are|value|when)[^.]{0,10}(allowed|supported|thinking)/i.test(
      refusal.sentence,
    );
  if (
    /temperature['"`]? and ['"`]?top_p[^.]{0,40}(both|one)/i.test(refusal.text) &&
    sent.members['top_p'] !== undefined
  )
    return without(['top_p'], 'top_p');
  if (!isFixed && (!isDenial(refusal) || isAboutValue(refusal))) return undefined;
  const known = SAMPLING.filter((name) => sent.members[name] !== undefined);
  const [named] = namedIn(refusal, known);
  if (named !== undefined) return without(PENALTIES.includes(named) ? PENALTIES : SAMPLING, 'sampling');
  if (/penalt(y|ies)/i.test(refusal.text) && known.some((name) => PENALTIES.includes(name))) {
    return without(PENALTIES, 'penalties');
  }
  return isFixed && known.length > 0 ? without(SAMPLING, 'sampling') : undefined;
};

/** What says how hard the model is to think, where it does not, or not in these words. */
const effort: RepairRow = ({ refusal, sent }) => {
  const isAbout =
    /(not|n't) support[^.]{0,20} (thinking|reasoning)|(thinking|reasoning)( mode)? is not supported|\bthink value|invalid (reasoning|think)[^.]{0,10} value/i;
  const names = THINKING.filter((name) => sent.members[name] !== undefined);
  return names.length > 0 && isAbout.test(refusal.text) ? without(names, 'thinking') : undefined;
};

/** A gateway that finds no server for what the request says besides its messages does not say what is too much. */
const optionalMembers: RepairRow = ({ refusal, sent }) => {
  const names = OPTIONAL.filter((name) => sent.members[name] !== undefined);
  const isAbout = /no endpoints found that can handle the requested parameters/i;
  return names.length > 0 && isAbout.test(refusal.text) ? without(names, 'optional') : undefined;
};

/** Every other member that a server does not know. */
const unknownMembers: RepairRow = ({ refusal, sent }) => {
  if (!isDenial(refusal) || isAboutValue(refusal)) return undefined;
  const names = Object.keys(sent.members).filter((name) => !OWN.has(name));
  const named = namedIn(refusal, names);
  return named.length === 0 ? undefined : withChange(without(named, named.join()), named);
};

/** Members that are the work of other rules are turned off by those. */
function withChange(repair: Repair, named: readonly string[]): Repair {
  const change: RuleChange = Object.assign(
    {},
    repair.change,
    named.includes('stream_options') && { streamUsage: false },
  );
  return { kind: repair.kind, change, says: repair.says };
}

function without(names: readonly string[], kind: string): Repair {
  return { kind: `without:${kind}`, change: { omit: names }, says: `without ${names.join(', ')}` };
}

/** True if a refusal is about a member, by its name or by the words in it. */
function isNamed(refusal: Refused['refusal'], name: string): boolean {
  return refusal.text.includes(name) || refusal.text.includes(name.replaceAll('_', ' '));
}

/** The rows about what a body says besides messages and tools, in their order. */
export const FIELD_ROWS = { effortWithTools, limit, usage, sampling, effort, optionalMembers, unknownMembers };
