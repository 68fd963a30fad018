import type { LanguageModelV3CallOptions, LanguageModelV3Message } from '@ai-sdk/provider';
import type { WireRules } from '../chat-completions/profiles/wire-rules.js';
import type { Refusal } from '../chat-completions/repair/refusal.js';
import { isDenial, type Refused, type Repair, type RepairRow } from '../chat-completions/repair/repair.js';
import { repairFor } from '../chat-completions/repair/repair-table.js';
import { effortsIn, nearestEffort } from './sdk-effort.js';

/** What native APIs call the members for which the table of refusals has the names of Chat Completions. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/\b(max_output_tokens|inference_config\.max_tokens)\b/g, 'max_tokens'],
  [/\bstop_sequences\b/g, 'stop'],
  [/\brandom_seed\b/g, 'seed'],
  [
    /\btext\.format\b|\bresponse_(mime_type|schema|json_schema)\b|\boutput_config\.format\b|\boutput_format\b/g,
    'response_format',
  ],
  [
    /\breasoning\.effort\b|\boutput_config\.effort\b|\bthinking_config(\.\w+)?\b|\bthinking_(level|budget)\b|\b(max_)?reasoning_(config|effort)\b/g,
    'reasoning_effort',
  ],
  [/\bfunction_calling_config(\.\w+)?\b/g, 'tool_choice'],
  [/\b(parallel_function_calling|disable_parallel_tool_use)\b/g, 'parallel_tool_calls'],
];

/** The rules that requests through packages are written by; a repair that changes others would change nothing. */
const KNOWN: ReadonlySet<string> = new Set<keyof WireRules>([
  ...(['omit', 'effort', 'toolsEffort', 'toolChoices', 'jsonSchema', 'jsonObject', 'tools', 'maxTools'] as const),
  ...(['plainTools', 'droppedTools', 'plainSchemas', 'toolsForCalls', 'images', 'imageTypes', 'callIds'] as const),
  ...(['thoughts', 'system', 'alternate', 'bridge', 'endsWithUser', 'callsPerMessage', 'toolSchema'] as const),
]);

/** An effort that is not taken together with tools: there is a row for it. */
const FUNCTION_TOOLS = /\b(function tools|tools?|functions)\b/i;

/** "Supported values are: 'low', 'medium', and 'high'": the nearest of them; without a list no effort. */
const effortWord: RepairRow = ({ refusal, sent, rules }) => {
  const asked = sent.members['reasoning_effort'];
  const isNamed = /\beffort\b|reasoning_effort/.test(refusal.text);
  if (typeof asked !== 'string' || (!isNamed && /verbosity|detail/.test(refusal.text))) return undefined;
  const listed = /(supported|allowed|valid|permitted) (values|efforts|options)|expected|one of/i.exec(refusal.sentence);
  const words = listed ? effortsIn(refusal.sentence.slice(listed.index)).filter((word) => word !== asked) : [];
  const word = nearestEffort(asked, words);
  if (word === undefined) {
    if (!isNamed || !isDenial(refusal) || FUNCTION_TOOLS.test(refusal.text)) return undefined;
    return { kind: 'without:reasoning_effort', change: { omit: ['reasoning_effort'] }, says: 'without an effort' };
  }
  const effort = Object.assign({}, rules.effort, { [asked]: { reasoning_effort: word } });
  return { kind: 'effort:word', change: { effort }, says: `with the effort ${word} instead of ${asked}` };
};

/** "Encrypted content is not supported with this model". */
const encrypted: RepairRow = ({ refusal, rules }) => {
  const isAbout = /encrypted[_ ]content[^.]{0,60}(not|n't|un)[ -]?(be )?(support|allow|available)/i;
  const isNamedSo = refusal.subjects.some((subject) => /^include\b/.test(subject)) && isDenial(refusal);
  if (rules.omit.includes('include') || !(isNamedSo || isAbout.test(refusal.text))) return undefined;
  return { kind: 'without:include', change: { omit: ['include'] }, says: 'without asking for encrypted reasoning' };
};

/** What an answer came with is not taken back, for example because the key is another one. */
const state: RepairRow = ({ refusal, rules }) => {
  const isAbout =
    /(invalid|corrupted)[^.]{0,20}(signature|encrypted|thought_signature)|(signature|encrypted[_ ]content|thinking block|reasoning item)[^.]{0,80}(invalid|corrupted|could not be (verified|decrypted)|cannot be (verified|modified|decrypted)|not valid|must remain)|item with id[^.]{0,80}not found/i;
  if (rules.thoughts === 'never' || !isAbout.test(refusal.text)) return undefined;
  return {
    kind: 'thoughts:never',
    change: { thoughts: 'never' },
    says: 'without what earlier answers came with',
    isPassing: true,
  };
};

/** Claude thinks only if the answer before the results began with thoughts, and only if it may choose its calls. */
const thinking: RepairRow = ({ refusal, sent, rules }) => {
  const isFormat = /thinking[^.]{0,60}(tool_choice|tool use)|tool_choice[^.]{0,60}thinking/i.test(refusal.text);
  if (isFormat && sent.members['response_format'] !== undefined && sent.members['tool_choice'] === undefined) {
    const change = { jsonSchema: 'text', jsonObject: 'text' } as const;
    return { kind: 'format:words', change, says: 'with JSON asked for in words' };
  }
  const isMissing = /expected [`'"]?thinking[`'"]?|must start with a thinking block/i.test(refusal.text);
  if (!isMissing || rules.omit.includes('thinking')) return undefined;
  return { kind: 'without:thinking', change: { omit: ['thinking'] }, says: 'without thinking', isPassing: true };
};

/** A limit that the API does not take has no other name. */
const limit: RepairRow = ({ refusal, sent }) => {
  const isAbout = sent.members['max_tokens'] !== undefined && isNamed(refusal, 'max_tokens') && isDenial(refusal);
  const isValue = /maximum|minimum|at (most|least)|[<>]=?\s*\d|greater|less|below|above|too/i.test(refusal.sentence);
  if (!isAbout || isValue) return undefined;
  return { kind: 'limit', change: { omit: ['max_tokens'] }, says: 'without a limit of tokens' };
};

/** What the package itself cannot write: files and images, or an effort of which it does not know the word. */
const unwritable: RepairRow = ({ refusal, sent, rules }) => {
  if (/provider options/i.test(refusal.text) && sent.members['reasoning_effort'] !== undefined) {
    return { kind: 'without:reasoning_effort', change: { omit: ['reasoning_effort'] }, says: 'without an effort' };
  }
  const hasFiles = sent.partsOf('user').some(({ type }) => type !== 'text');
  const isAbout = /functionality not supported|mime ?type|media type/i.test(refusal.text);
  if (!isAbout || !hasFiles || rules.images === 'none') return undefined;
  return { kind: 'images:none', change: { images: 'none' }, says: 'with texts only' };
};

/** An image that the provider cannot fetch, or whose address it does not take: the model gets the address as text. */
const address: RepairRow = ({ refusal, sent, rules }) => {
  const hasAddress = sent.partsOf('user').some((part) => /"url":"https?:/.test(JSON.stringify(part)));
  const isAbout =
    /(download|fetch|retriev|access|load|resolv)\w*[^.]{0,60}\b(images?|files?|urls?|uris?|content)\b|\b(file_?uri|urls?|uris?)\b[^.]{0,80}(not|n't|invalid|unsupported|cannot|could|unable|fail)|(unsupported|invalid|unreachable)[^.]{0,20}\b(file )?(uri|url)/i;
  if (!hasAddress || rules.images !== 'all' || !isAbout.test(refusal.text)) return undefined;
  const isRule = /unsupported|not (be )?(support|allow|permit)|n't support|only|must be/i.test(refusal.sentence);
  return {
    kind: 'images:inline',
    change: { images: 'inline' },
    says: 'without the addresses of images',
    isPassing: !isRule,
  };
};

/** Schemas that the package cannot translate: it does not say of which tool. */
const unwritableSchema: RepairRow = ({ refusal, sent, rules }) => {
  if (sent.toolNames.length === 0 || rules.plainSchemas || !/json schema/i.test(refusal.text)) return undefined;
  if (sent.members['response_format'] !== undefined || !/not support|only supports|unsupported/i.test(refusal.text))
    return undefined;
  return { kind: 'tools:plain', change: { plainSchemas: true }, says: 'without the schemas of the arguments of tools' };
};

const ROWS: readonly RepairRow[] = [
  effortWord,
  encrypted,
  state,
  thinking,
  limit,
  unwritable,
  unwritableSchema,
  address,
];

/**
 * The first repair of a refusal of a native API that the call has not made (contract model-servers, section 1.4); undefined
 * if there is none. What native APIs have in common with Chat Completions is repaired by the same table.
 *
 * @param made the kinds that the call has made
 */
export function nativeRepairFor(given: Refused, made: ReadonlySet<string>): Repair | undefined {
  const refused: Refused = { refusal: inCommonNames(given.refusal), sent: given.sent, rules: given.rules };
  for (const row of ROWS) {
    const repair = row(refused);
    if (repair && !made.has(repair.kind)) return repair;
  }
  const passed = new Set(made);
  for (;;) {
    const repair = repairFor(refused, passed);
    if (!repair || isEffective(repair)) return repair;
    passed.add(repair.kind);
  }
}

function isEffective({ change }: Repair): boolean {
  return Object.entries(change).some(([key, value]) => KNOWN.has(key) && (key !== 'thoughts' || value === 'never'));
}

function inCommonNames(refusal: Refusal): Refusal {
  const renamed = (text: string): string => NAMES.reduce((all, [pattern, name]) => all.replace(pattern, name), text);
  return { ...refusal, text: renamed(refusal.text), subjects: refusal.subjects.map(renamed) };
}

function isNamed({ text, subjects }: Refusal, name: string): boolean {
  return text.includes(name) || subjects.some((subject) => subject.includes(name));
}

/**
 * A request in the words of Chat Completions, as JSON text: what the table of refusals reads.
 *
 * @param effort what was asked for
 */
export function sketchOf(options: LanguageModelV3CallOptions, effort: string | undefined): string {
  const { tools = [], toolChoice, responseFormat: format } = options;
  return JSON.stringify({
    temperature: options.temperature,
    top_p: options.topP,
    frequency_penalty: options.frequencyPenalty,
    presence_penalty: options.presencePenalty,
    max_tokens: options.maxOutputTokens,
    stop: options.stopSequences,
    seed: options.seed,
    reasoning_effort: effort,
    parallel_tool_calls: isParallelAsked(options) ? true : undefined,
    tool_choice: toolChoice?.type === 'tool' ? { function: { name: toolChoice.toolName } } : toolChoice?.type,
    response_format:
      format?.type === 'json' ? { type: format.schema === undefined ? 'json_object' : 'json_schema' } : undefined,
    tools: tools.map(({ name }) => ({ function: { name } })),
    messages: options.prompt.map(sketchedMessage),
  });
}

function isParallelAsked({ providerOptions = {} }: LanguageModelV3CallOptions): boolean {
  return Object.values(providerOptions).some((own) => Object.keys(own).some((key) => /parallel/i.test(key)));
}

function sketchedMessage({ role, content }: LanguageModelV3Message): object {
  if (typeof content === 'string') return { role, content };
  const calls = content.flatMap((part) =>
    part.type === 'tool-call'
      ? [{ id: part.toolCallId, function: { name: part.toolName, arguments: JSON.stringify(part.input) } }]
      : [],
  );
  const parts = content.flatMap((part): object[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if (part.type !== 'file') return [];
    const url = part.data instanceof URL ? part.data.href : 'data:';
    return [part.mediaType.startsWith('image/') ? { type: 'image_url', image_url: { url } } : { type: 'file' }];
  });
  return { role, content: parts, ...(calls.length > 0 && { tool_calls: calls }) };
}
