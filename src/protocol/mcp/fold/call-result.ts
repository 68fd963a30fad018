import {
  typeOfAddress,
  typeOfAudio,
  typeOfName,
  isPlainObject,
  type Json,
  type JsonObject,
} from '../../../common/index.js';
import {
  type AgentResponse,
  type Content,
  dataOf,
  type ErrorModel,
  type Message,
  type OpenInterrupt,
  OUTPUT_TYPES,
  SUBAGENT_ID,
  summedUsage,
  TOOL_CONTENTS,
  type Usage,
} from '../../../events/index.js';

/** How a call stands, as its result says it (contract mcp-server, section 5). */
export type CallStatus = 'completed' | 'in_progress' | 'waiting' | 'stopped';

/** What the runs of a call have said and used. */
export interface Said {
  readonly messages: readonly Message[];
  readonly usage: Usage | undefined;
}

/** What a result is made of. */
export interface CallOutcome extends Said {
  readonly runId: string;
  readonly sessionId: string;
  readonly status: CallStatus | 'failed';
  readonly error?: ErrorModel | null;
  readonly waitingFor?: readonly OpenInterrupt[];
  /** Where a stopped call was stopped by nobody. */
  readonly isExpired?: boolean;
  /** True for the call of a tool of the server: its result alone is shown. */
  readonly isTool?: boolean;
}

/** Characters of base64 of one image or sound at most: 1 MiB of bytes. */
const MOST_BASE64 = Math.ceil((1024 * 1024 * 4) / 3);
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,(.*)$/s;

/** What both eras and all kinds of answers say about a call. */
export function callResult(outcome: CallOutcome): JsonObject {
  const { runId, sessionId, status, usage, waitingFor } = outcome;
  const contents = answersOf(outcome.messages).flatMap(({ content }) => content ?? []);
  const answer = textIn(outcome.messages);
  if (status === 'failed' || isRefused(outcome)) return failure(outcome);
  if (status === 'completed' && outcome.isTool === true) return toolResult(outcome.messages);
  const sentence = sentenceOf(outcome);
  const media = contents.flatMap(mediumOf);
  const blocks: JsonObject[] = [
    ...(answer === '' && (sentence !== undefined || media.length > 0) ? [] : [{ type: 'text', text: answer }]),
    ...media,
    ...(sentence === undefined ? [] : [{ type: 'text', text: sentence }]),
  ];
  const waiting = status === 'waiting' ? (waitingFor ?? []).map(waitingItem) : undefined;
  const structuredContent: JsonObject = {
    status,
    answer,
    session_id: sessionId,
    run_id: runId,
    ...(waiting && { waiting_for: waiting }),
    ...(usage && { usage: { ...usage } }),
  };
  return { content: blocks, structuredContent };
}

/** The result of a tool of the server as it is: its blocks, or its text and images. */
function toolResult(messages: readonly Message[]): JsonObject {
  const result = messages.findLast(({ type }) => OUTPUT_TYPES.includes(type));
  if (!result) return refusal('The tool has no result.');
  const isError = result.metadata?.['is_error'] === true;
  const contents = result.metadata?.[TOOL_CONTENTS];
  if (isPlainObject(contents)) return { ...contents, ...(isError && { isError }) };
  const output = dataOf(result)?.['output'];
  const images = (result.content ?? []).flatMap(mediumOf);
  const text =
    typeof output === 'string' && (output !== '' || images.length === 0) ? [{ type: 'text', text: output }] : [];
  return { content: [...text, ...images], ...(isError && { isError }) };
}

/** A result that tells a model what it has done wrong. */
export function refusal(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}

/** What a response adds to what was said. */
export function saidIn(before: Said, response: AgentResponse | undefined): Said {
  if (!response) return before;
  return {
    messages: [...before.messages, ...(response.output ?? [])],
    usage: summedUsage(before.usage, response.usage ?? undefined),
  };
}

/** The text of the answers. */
export function textIn(messages: readonly Message[]): string {
  return answersOf(messages)
    .map(({ content }) => (content ?? []).map(plainText).join(''))
    .filter((text) => text !== '')
    .join('\n\n');
}

/** What the agent says to its client: not what it thinks, calls, or has others say. */
export function answersOf(messages: readonly Message[]): readonly Message[] {
  return messages.filter(isAnswer);
}

/** Whether a message is part of the answer. */
export function isAnswer({ type, role, metadata }: Message): boolean {
  return type === 'message' && role !== 'user' && typeof metadata?.[SUBAGENT_ID] !== 'string';
}

function plainText(content: Content): string {
  if (content.type === 'text') return content.text ?? '';
  if (content.type === 'refusal') return content.refusal ?? '';
  return content.type === 'data' && content.data !== null ? JSON.stringify(content.data) : '';
}

function isRefused({ status, error }: CallOutcome): boolean {
  return status === 'completed' && error?.code === 'content_filter';
}

function failure({ error, runId }: CallOutcome): JsonObject {
  const said = error?.message ?? error?.code ?? 'unknown error';
  return refusal(`The agent failed: ${said.replace(/[.\s]+$/, '')} (run ${runId})`);
}

function sentenceOf({ status, error, runId, sessionId, isExpired = false }: CallOutcome): string | undefined {
  switch (status) {
    case 'in_progress':
      return `Still working. Call get_answer with run_id "${runId}" for the rest.`;
    case 'waiting':
      return `A person has to decide, in the approvals of the server. Call get_answer with run_id "${runId}" afterwards.`;
    case 'stopped':
      return isExpired
        ? 'It was stopped: nobody answered in time.'
        : `It was stopped. Ask again with session_id "${sessionId}" to go on.`;
    default:
      return error ? 'The answer is cut: a limit was reached.' : undefined;
  }
}

function waitingItem({ id, kind, tool_name, arguments: args, message, expires_at }: OpenInterrupt): JsonObject {
  return {
    id,
    kind,
    ...(tool_name !== null && { tool_name }),
    ...(args !== null && { arguments: parsed(args) }),
    ...(message !== null && { message }),
    ...(expires_at !== null && { expires_at: new Date(expires_at).toISOString() }),
  };
}

function parsed(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    return isPlainObject(value) ? value : { value };
  } catch {
    return { value: text };
  }
}

/** A content that is no text as blocks of a result: none if it has no value. */
function mediumOf(content: Content): readonly JsonObject[] {
  switch (content.type) {
    case 'image':
      return block(content.image_url, 'image', 'image/*', 'image');
    case 'video':
      return block(content.video_url, 'resource', 'video/*', 'video');
    case 'audio': {
      const type = typeOfAudio(content.format);
      const { data } = content;
      return block(
        data === null || data.startsWith('data:') ? data : `data:${type};base64,${data}`,
        'audio',
        type,
        'audio',
      );
    }
    case 'file': {
      const { file_url, file_data, filename } = content;
      const name = filename ?? 'file';
      const type = typeOfName(name) ?? 'application/octet-stream';
      const inline =
        file_data === null || file_data.startsWith('data:') ? file_data : `data:${type};base64,${file_data}`;
      return block(file_url ?? inline, 'resource', type, name);
    }
    default:
      return [];
  }
}

function block(
  url: string | null,
  kind: 'image' | 'audio' | 'resource',
  otherwise: string,
  name: string,
): readonly JsonObject[] {
  if (url === null || url === '') return [];
  const [, said, base64] = DATA_URL.exec(url) ?? [];
  const mimeType = said ?? typeOfAddress(url) ?? otherwise;
  if (base64 === undefined)
    return [{ type: 'resource_link', uri: url, name, ...(!mimeType.includes('*') && { mimeType }) }];
  if (base64.length > MOST_BASE64)
    return [{ type: 'text', text: `[${name}, ${mimeType}, is too long to be shown here]` }];
  if (kind !== 'resource') return [{ type: kind, data: base64, mimeType }];
  const uri = `parley://files/${encodeURIComponent(name)}`;
  const isText = mimeType.startsWith('text/') || mimeType === 'application/json';
  const body: JsonObject = isText ? { text: Buffer.from(base64, 'base64').toString('utf8') } : { blob: base64 };
  return [{ type: 'resource', resource: { uri, mimeType, ...body } }];
}
