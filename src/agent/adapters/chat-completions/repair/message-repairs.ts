import type { RuleChange } from '../profiles/wire-rules.js';
import { isDenial, namedIn, type Refused, type Repair, type RepairRow } from './repair.js';

const ORDER =
  /roles? must alternate|must alternate|alternat(e|ing) between|unexpected role|(at|in) the (very )?(beginning|start)|last (message|role)|(first|second) message|after the \(?optional\)? system|only user,? (and )?assistant|role '?"?user'?"? after role|no user (query|message)|prefill|invalid chat setting|role param error|messages 参数非法|"1214"|must (start|begin|end) with|developer instruction is not|system[^.]{0,30}(role|message|prompt|instruction)[^.]{0,60}(not|n't|un|only|must|first)/i;
const NO_SYSTEM =
  /(system|developer instruction)[^.]{0,40}(not|n't|un)[ -]?(be )?(support|allow|permit|accept|enabled)|(not|n't) support[^.]{0,30}system/i;
const LAST_IS_USER = /prefill|last (message|role)[^.]{0,60}user|must end with[^.]{0,30}user/i;

/** The order of roles: the strict form, then a conversation without a system message. */
const order: RepairRow = ({ refusal, sent, rules }) => {
  if (!ORDER.test(refusal.text)) return undefined;
  const hasSystem = sent.messages.some(({ role }) => role === 'system');
  const isStrict = rules.alternate && rules.system !== 'any' && rules.bridge;
  if (hasSystem && (NO_SYSTEM.test(refusal.text) || isStrict)) {
    const change: RuleChange = { system: 'user', alternate: true, bridge: true };
    return { kind: 'order:system', change, says: 'with the system text in the message of the user' };
  }
  if (isStrict && (rules.endsWithUser || !LAST_IS_USER.test(refusal.text))) return undefined;
  const change: RuleChange = {
    system: rules.system === 'any' ? 'first' : rules.system,
    alternate: true,
    bridge: true,
    endsWithUser: rules.endsWithUser || LAST_IS_USER.test(refusal.text),
  };
  return { kind: 'order', change, says: 'with one system message, and user and assistant in turn' };
};

/** "The reasoning_content in the thinking mode must be passed back". */
const missingThoughts: RepairRow = ({ refusal, rules }) => {
  const isMissing =
    /reasoning_content[^.]{0,80}(missing|required|must be|passed back|pass back)|(missing|must (contain|include|have|pass|provide)|requires?)[^.]{0,60}reasoning_content/i;
  if (!isMissing.test(refusal.text) || rules.thoughtsNeeded) return undefined;
  const change: RuleChange = { thoughtsNeeded: true, thoughts: 'reasoning_content', thoughtsOf: 'all' };
  return { kind: 'thoughts:needed', change, says: 'with the reasoning_content of earlier answers' };
};

const missingSignature: RepairRow = ({ refusal, rules }) => {
  if (!/thought[_ ]?signature/i.test(refusal.text) || rules.skipSignatures) return undefined;
  const change: RuleChange = { skipSignatures: true, callExtras: true };
  return { kind: 'signatures', change, says: 'with a signature that is not checked for calls that have none' };
};

/** Members of messages that the server does not know. */
const messageMembers: RepairRow = (refused) => {
  const { refusal, sent } = refused;
  if (!isDenial(refusal)) return undefined;
  const names = Object.keys(MEMBERS).filter((name) => sent.hasInMessage(name) || sent.hasInCall(name));
  const [name] = namedIn(refusal, names);
  if (name === undefined || isOfBody(refused, name)) return undefined;
  const change = MEMBERS[name]?.(refused);
  return change && { kind: `message:${name}:${change.thoughts ?? ''}`, change, says: `without ${name} in messages` };
};

const MEMBERS: Readonly<Record<string, (refused: Refused) => RuleChange>> = {
  reasoning_content: otherThoughts,
  reasoning: otherThoughts,
  reasoning_text: otherThoughts,
  reasoning_details: () => ({ details: false }),
  thinking_blocks: () => ({ thinkingBlocks: false }),
  extra_content: () => ({ callExtras: false, skipSignatures: false }),
  name: () => ({ resultNames: false }),
};

/** Under the name that they came in, if they were sent under another one; else not at all. */
function otherThoughts({ rules }: Refused): RuleChange {
  const isRenamed = rules.thoughts !== 'same' && rules.thoughts !== 'never';
  return { thoughts: isRenamed ? 'same' : 'never', thoughtsNeeded: false };
}

/** `reasoning` is also a member of the body. */
function isOfBody({ refusal, sent }: Refused, name: string): boolean {
  return sent.members[name] !== undefined && !/messages?\b/.test(refusal.text);
}

/** "Cannot pass both content and thinking in an assistant message with tool calls". */
const crowdedMessages: RepairRow = ({ refusal, rules }) => {
  const isAbout = /both content and (thinking|reasoning)|(thinking|reasoning)[^.]{0,20} and content/i.test(
    refusal.text,
  );
  if (!isAbout || !rules.thoughtsWithText) return undefined;
  return { kind: 'thoughts:text', change: { thoughtsWithText: false }, says: 'without thoughts beside text and calls' };
};

/** Said of a model that takes no images at all. */
const NO_EYES =
  /(not|n't|un) ?[- ]?(be |currently |yet |a )?(support|multi-?modal|accept|allow|permit|enabled|available|vision|capable|found)|no endpoints found|mmproj|unsupported content|text[- ]only|only supported by|only (support|accept|allow)s? text|at most 0 image|unknown variant|invalid (type|value)|(expected|must be|should be|expects?) [^.]{0,20}(string|text)|不支持/i;
/** Said of a single image, and not of what the model takes. */
const ODD_IMAGE =
  /(invalid|corrupt\w*|broken|damaged|malformed|bad|unsupported|valid|supported|identify|process|decode|decoding|parse|load|open|read|download|fetch\w*|retriev\w*)['"` ]+(the |an? |your |this |provided |base64[- ]?(encoded )?)*images?\b|images? (data|file|format|type|url|size|dimension)|image_parse_error|(large|small|big|size|dimension|pixels?|megabytes|\bMB\b)/i;

/** What is not text: the model cannot see it, or the server cannot read this one. */
const contents: RepairRow = (refused) => {
  const { refusal, sent, rules } = refused;
  const isAboutString =
    /content[^.]{0,60}(must be|should be|expected|expects?)[^.]{0,20}(a |valid )*(string|str\b)|type mismatch of [^.]*content|(valid string|str type|expected string|expected a string)|cannot unmarshal array/i;
  const isAboutImage = /\bimages?\b|image_url|vision|multi-?modal|modalit/i;
  const media = sent.partsOf('user').filter(({ type }) => type !== 'text');
  const isAbout = isAboutString.test(refusal.text) || (isAboutImage.test(refusal.text) && media.length > 0);
  if (!isAbout) return undefined;
  if (media.length === 0) return partsAsText(refused);
  const hasAddress = media.some((part) => /"url":"https?:/.test(JSON.stringify(part)));
  if (
    rules.images === 'all' &&
    hasAddress &&
    /base64|data[ :_-]?ur[il]|download|fetch|\burls?\b/i.test(refusal.sentence)
  ) {
    return { kind: 'images:inline', change: { images: 'inline' }, says: 'without the addresses of images' };
  }
  if (rules.images === 'none') return undefined;
  const change: RuleChange = { images: 'none', joinTexts: true };
  const isOne =
    ODD_IMAGE.test(refusal.sentence) && !/at most 0 image|support[^.]{0,20} image input/i.test(refusal.text);
  if (!isOne && NO_EYES.test(refusal.text)) return { kind: 'images:none', change, says: 'with texts only' };
  return refusal.status === 500 ? undefined : { kind: 'images:once', change, says: 'with texts only', isPassing: true };
};

function partsAsText({ sent, rules }: Refused): Repair | undefined {
  if (sent.partsOf('user').length > 0 && !rules.joinTexts) {
    return { kind: 'texts', change: { joinTexts: true }, says: 'with the texts of a message joined' };
  }
  if (sent.partsOf('assistant').length === 0) return undefined;
  return { kind: 'thoughts:parts', change: { thoughtParts: false }, says: 'without thoughts as parts' };
}

const blankTexts: RepairRow = ({ refusal, rules }) => {
  const isAbout =
    /(must (be|contain|have)|should be|cannot be|not be|is)[^.]{0,20} (non-?empty|non-?whitespace|empty|blank)/i;
  if (!rules.blankTexts || !isAbout.test(refusal.text) || !/content|text|message/i.test(refusal.text)) return undefined;
  return { kind: 'blank', change: { blankTexts: false }, says: 'without blank texts' };
};

/** A server that takes tools or an answer in JSON, but not both: JSON is then asked for in words. */
const formatWithTools: RepairRow = ({ refusal, sent }) => {
  const isAbout =
    /(function|tool)[^.]{0,60}(response mime|json mode|response_?format)|(json mode|response_?format|structured output)[^.]{0,60}(tool|function)/i;
  if (sent.members['response_format'] === undefined || sent.toolNames.length === 0) return undefined;
  if (!isDenial(refusal) || !isAbout.test(refusal.text)) return undefined;
  return {
    kind: 'format:words',
    change: { jsonSchema: 'text', jsonObject: 'text' },
    says: 'with JSON asked for in words',
  };
};

/** Answers that consist of calls. */
const nullContents: RepairRow = ({ refusal, sent, rules }) => {
  const hasNull = sent.messages.some(({ role, content }) => role === 'assistant' && content === null);
  const isAbout =
    /content[^.]{0,80}(\bnull|\bnone|valid string|a string|required|missing)|(null|none)[^.]{0,40}content/i;
  if (!hasNull || !rules.nullContents || !isAbout.test(refusal.text)) return undefined;
  return { kind: 'contents:null', change: { nullContents: false }, says: 'with an empty text beside calls' };
};

/** Simpler schema, any object, words. */
const formats: RepairRow = ({ refusal, sent, rules }) => {
  const format = sent.members['response_format'] as { readonly type?: string } | undefined;
  const isAbout =
    /response[_ .]?format|json[_ ]?(schema|object|mode)|structured[_ ]output|guided|grammar|\bschema\b|additional_?properties|['"`](pattern|format|strict|minimum|maximum|min_?items|max_?items|min_?length|max_?length|\$ref|\$schema)['"`]/i;
  if (format === undefined || !isAbout.test(refusal.text)) return undefined;
  const allowsSchema =
    /json_schema/.test(refusal.text) &&
    !/json_schema['"`]?[^.]{0,40}(not|n't|un)[ -]?(be )?support/i.test(refusal.text);
  if (format.type === 'json_object') {
    const jsonObject = allowsSchema && rules.jsonObject === 'object' ? 'schema' : 'text';
    const says =
      jsonObject === 'schema' ? 'with the schema of any object instead of json_object' : 'with JSON asked for in words';
    return { kind: `format:object:${jsonObject}`, change: { jsonObject }, says };
  }
  if (rules.jsonSchema === 'object')
    return { kind: 'format:object:text', change: { jsonObject: 'text' }, says: 'with JSON asked for in words' };
  const isType =
    /response[_ ]format[^.]{0,60}(unavailable|not|n't|un)|json_schema['"`]?[^.]{0,60}(unavailable|not|n't|unsupported)|(not|n't) support[^.]{0,40}json_schema/i;
  if (rules.jsonSchema === 'full' && !isType.test(refusal.text)) {
    return { kind: 'format:simple', change: { jsonSchema: 'simple' }, says: 'with schemas of answers without limits' };
  }
  return {
    kind: 'format:any',
    change: { jsonSchema: 'object' },
    says: 'with json_object, and the schema in the system text',
  };
};

/** The rows about messages and about the form of the answer. */
export const MESSAGE_ROWS = {
  order,
  missingThoughts,
  missingSignature,
  messageMembers,
  crowdedMessages,
  contents,
  blankTexts,
  formatWithTools,
  nullContents,
  formats,
};
