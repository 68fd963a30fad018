import type { ToolChoiceForm } from '../profiles/wire-rules.js';
import { isDenial, type Refused, type Repair, type RepairRow } from './repair.js';

/** Tools that are sent without parameters one by one; with a further one, all are. */
const SINGLE_TOOLS = 2;

const NO_TOOLS =
  /(\btools?\b|\btool[ _](use|calls?|calling)|\bfunction[ _]?call(s|ing)?\b|\bfunctions\b)[^.]{0,60}(not|n't|un)[ -]?(be |currently )?(supported|available|enabled|allowed|implemented)|(not|n't|no [^.]{0,60}) support[^.]{0,40}(\btools?\b|\btool (use|calls?|calling)|\bfunction)|auto"?'? tool choice requires|tool-call-parser|requires --jinja|tools param requires/i;

/** Servers that know no results: calls and results are then told in words. */
const NO_RESULTS =
  /(invalid value: |unknown variant |invalid role:? )['"`]?tool['"`]?(?![a-z_])|role ['"`]?tool['"`]? is (not|un)/i;
/** Said of system messages, too. */
const ONLY_TWO_ROLES = /only user,? (and )?assistant roles/i;

/** A tool that is named, or whose place in the list is. */
const oneTool: RepairRow = ({ refusal, sent, rules }) => {
  const names = sent.toolNames;
  if (names.length === 0 || refusal.subjects.some((path) => path.startsWith('tool_choice'))) return undefined;
  const name = toolByPlace(refusal.text, names) ?? toolByName(refusal.text, names);
  const isAboutSchema = /schema|parameters|properties|input_schema/i.test(refusal.text);
  if (name === undefined) {
    const isWhole = /invalid[^.]{0,20} (function|tool)[^.]{0,20} (schema|parameters)|schema for function/i.test(
      refusal.text,
    );
    return isWhole && !rules.plainSchemas ? allPlain() : undefined;
  }
  if (!isAboutSchema && !isDenial(refusal) && !/pattern|match|must/i.test(refusal.text)) return undefined;
  const isAboutName = /function\.name|\.name\b|tool name|name must|function name/i.test(refusal.text);
  if (isAboutName || rules.plainSchemas || rules.plainTools.includes(name)) {
    return { kind: `tool:${name}:left-out`, change: { droppedTools: [name] }, says: `without the tool ${name}` };
  }
  if (rules.plainTools.length >= SINGLE_TOOLS) return allPlain();
  return {
    kind: `tool:${name}:plain`,
    change: { plainTools: [name] },
    says: `with the tool ${name} without a schema of its arguments`,
  };
};

/** A schema that the server cannot make a grammar of, or not in its dialect: it does not say which. */
const anySchema: RepairRow = ({ refusal, sent, rules }) => {
  const isAbout =
    /(parse|parsing|convert|compile)[^.]{0,20} grammar|schema conversion|function\.parameters is not|flavou?red json schema/i;
  if (sent.toolNames.length === 0 || rules.plainSchemas || !isAbout.test(refusal.text)) return undefined;
  return sent.members['response_format'] === undefined ? allPlain() : undefined;
};

function allPlain(): Repair {
  return { kind: 'tools:plain', change: { plainSchemas: true }, says: 'without the schemas of the arguments of tools' };
}

function toolByPlace(text: string, names: readonly string[]): string | undefined {
  const declared = /function_declarations\[(\d+)\]/.exec(text)?.[1];
  const listed = /\btools(?:\[|\.|\/|["'],?\s*|\s*(?:->|→)\s*)(\d+)/.exec(text)?.[1];
  const place = declared ?? listed;
  return place === undefined ? undefined : names[Number(place)];
}

function toolByName(text: string, names: readonly string[]): string | undefined {
  return names.find((name) => ["'", '"', '`'].some((quote) => text.includes(`${quote}${name}${quote}`)));
}

/** Tools that the conversation needs and the request lacks. */
const neededTools: RepairRow = ({ refusal, sent, rules }) => {
  if (sent.toolNames.length > 0 || rules.toolsForCalls || !sent.hasInMessage('tool_calls')) return undefined;
  const isAbout =
    /\btools\b[^.]{0,60}(must|required|defined|provided|empty|missing|without)|(must|requires?|expects?|without)[^.]{0,60}\btools\b|tool_?config/i;
  if (!isAbout.test(refusal.text)) return undefined;
  return {
    kind: 'tools:needed',
    change: { toolsForCalls: true },
    says: 'with a tool that does nothing if they have calls',
  };
};

const noTools: RepairRow = ({ refusal, sent }) => {
  const hasRole = (name: string): boolean => sent.messages.some(({ role }) => role === name);
  const isAboutRole =
    hasRole('tool') && (NO_RESULTS.test(refusal.text) || (ONLY_TWO_ROLES.test(refusal.text) && !hasRole('system')));
  if (sent.toolNames.length === 0 && !isAboutRole) return undefined;
  if (!isAboutRole && (!NO_TOOLS.test(refusal.text) || /tool_choice/.test(refusal.text))) return undefined;
  return { kind: 'tools:none', change: { tools: false }, says: 'without tools' };
};

/** A named tool becomes any tool, any tool becomes the choice of the model. */
const toolChoice: RepairRow = ({ refusal, sent, rules }) => {
  const choice = sent.members['tool_choice'];
  if (choice === undefined || !/tool[_ ]?choice|forced tool|force a tool/i.test(refusal.text)) return undefined;
  const isNone = choice === 'none';
  const deniesRequired = /(not|n't|un)[ -]?(be )?(support|allow|permit)[^.]{0,80}required/i.test(refusal.text);
  const gone: readonly ToolChoiceForm[] =
    typeof choice === 'object' && !deniesRequired ? ['named'] : isNone ? ['none'] : ['named', 'required'];
  const toolChoices = rules.toolChoices.filter((form) => !gone.includes(form));
  const says =
    toolChoices.length === 0 ? 'without tool_choice' : `with no other tool_choice than ${toolChoices.join(', ')}`;
  return { kind: `tool-choice:${gone.join()}`, change: { toolChoices }, says };
};

const parallelCalls: RepairRow = (refused) => {
  const { refusal, sent, rules } = refused;
  if (!/(single|one|multiple|parallel|more than one)[^.]{0,20}(tool|function)[- _]?calls?/i.test(refusal.text))
    return undefined;
  if (isParallelOption(refused)) {
    return {
      kind: 'without:parallel_tool_calls',
      change: { omit: ['parallel_tool_calls'] },
      says: 'without parallel_tool_calls',
    };
  }
  const hasSeveral = sent.messages.some(({ tool_calls: calls }) => Array.isArray(calls) && calls.length > 1);
  if (rules.callsPerMessage === 'one' || !hasSeveral) return undefined;
  return { kind: 'single-calls', change: { callsPerMessage: 'one' }, says: 'with one call per message' };
};

function isParallelOption({ refusal, sent }: Refused): boolean {
  return sent.members['parallel_tool_calls'] !== undefined && /parallel/i.test(refusal.text);
}

const callIds: RepairRow = ({ refusal, sent, rules }) => {
  if (rules.callIds === 'nine' || !sent.hasInMessage('tool_calls')) return undefined;
  const isAbout = /(tool|function)[_ ]?calls?([_ .]|\[\d+\]\.?)*ids?\b/i.test(refusal.text);
  const isAboutForm =
    /must be (a-z|[^.]{0,30}(alphanumeric|characters|length))|length of 9|9 characters|alphanumeric|too long|pattern|string_above_max_length|maximum length/i;
  if (!isAbout || !isAboutForm.test(refusal.text)) return undefined;
  return { kind: 'call-ids', change: { callIds: 'nine' }, says: 'with ids of calls of nine letters and digits' };
};

/** The rows about tools and their calls. */
export const TOOL_ROWS = { oneTool, anySchema, neededTools, noTools, toolChoice, parallelCalls, callIds };
