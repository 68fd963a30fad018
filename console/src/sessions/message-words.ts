import { isObject, pretty } from '../lib/format.js';
import { askedState, outcomeWord } from '../ui/outcome-words.js';

/** A message as people read it. */
export interface Words {
  /** Who it is from, or what it is. */
  readonly who: string;
  readonly kind: 'user' | 'agent' | 'reasoning' | 'call' | 'result' | 'approval' | 'other';
  /** The tool of a call, of its result, or of an approval. */
  readonly tool: string | undefined;
  readonly text: string;
  /** Arguments or a result, if it has any. */
  readonly data: string | undefined;
  readonly images: readonly string[];
}

/** A message of a session in words, with the name of the tool where it is about a call. */
export function wordsOf(message: unknown): Words {
  const { role, type = '', content } = isObject(message) ? message : {};
  const contents = Array.isArray(content) ? content.filter(isObject) : [];
  const data = contents.map((part) => part['data']).find(isObject) ?? {};
  const name = typeof data['name'] === 'string' ? data['name'] : undefined;
  const text = contents.flatMap(textIn).join('\n');
  const images = contents.flatMap(({ image_url: url }) => (typeof url === 'string' ? [url] : []));
  const common = { tool: name, text, images, data: undefined };
  const kind = String(type);
  if (kind.endsWith('_call_output')) {
    return { ...common, who: 'Result', kind: 'result', data: shown(data['output']) };
  }
  if (kind.endsWith('_call')) return { ...common, who: 'Call', kind: 'call', data: shown(data['arguments']) };
  if (kind === 'mcp_approval_request') {
    return { ...common, who: 'Asks for approval', kind: 'approval', data: shown(data['arguments']) };
  }
  if (kind === 'mcp_approval_response') {
    const reason = typeof data['reason'] === 'string' && data['reason'] !== '' ? `: ${data['reason']}` : '';
    const edited = editedIn(data);
    const words = `${outcomeWord(decisionIn(data))}${reason}`;
    return { ...common, who: 'Decision', kind: 'approval', text: words, data: shown(edited) };
  }
  if (kind === 'reasoning') return { ...common, who: 'Reasoning', kind: 'reasoning' };
  if (kind === 'message') {
    const who = role === 'user' ? 'User' : role === 'assistant' ? 'Agent' : typeof role === 'string' ? role : 'Message';
    return { ...common, who, kind: role === 'user' ? 'user' : role === 'assistant' ? 'agent' : 'other' };
  }
  return { ...common, who: kind.replaceAll('_', ' ') || 'Message', kind: 'other', data: shown(data) };
}

/** How an approval was decided, as a state of the table of outcomes. */
function decisionIn(data: Record<string, unknown>): string {
  return askedState({
    status: data['approve'] === true ? 'approved' : 'denied',
    isEdited: editedIn(data) !== undefined,
  });
}

function editedIn(data: Record<string, unknown>): unknown {
  return data['edited_arguments'] ?? data['arguments'];
}

function textIn({ text, refusal }: Record<string, unknown>): string[] {
  return [text, refusal].filter((one): one is string => typeof one === 'string');
}

function shown(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : pretty(value);
}
