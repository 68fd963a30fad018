import type { ModelMessage, ModelRequest } from '../../agent/index.js';
import type { JsonObject } from '../../common/index.js';

/** The result of a tool call of the current turn. */
export interface ToolAnswer {
  readonly name: string;
  readonly content: string;
}

/** Everything that the offline model uses for an answer, read from the request. */
export interface Conversation {
  /** The name of the persona in the system prompt; `Friday` if it contains no name. */
  readonly persona: string;
  /** The text of the last user message. */
  readonly text: string;
  readonly chinese: boolean;
  /** Number of parts of the last user message that the model cannot read, by kind. */
  readonly attachments: { readonly image: number; readonly audio: number; readonly file: number };
  /** Texts of all user messages, oldest first, including the last one. */
  readonly userTexts: readonly string[];
  /** The text of the last assistant message before the last user message. */
  readonly lastReply: string;
  /** Tool results since the last user message. */
  readonly results: readonly ToolAnswer[];
  readonly systemText: string;
}

/** Capitalized words after "you are" that are not names. */
const ARTICLES: ReadonlySet<string> = new Set(['A', 'An', 'The', 'In', 'On', 'Here', 'Now', 'Not', 'Only', 'Always']);

/** Characters of each text that the rules look at: their patterns are not made for books. */
const LONGEST_READ = 20_000;
/** Characters of the result of a tool, which is quoted in part: as long as tools of the server make them. */
const LONGEST_RESULT = 65_536;

/** Extracts from a request what the offline model uses. */
export function readConversation(request: ModelRequest): Conversation {
  const { messages } = request;
  const last = messages.findLastIndex((message) => message.role === 'user');
  const user = messages[last];
  const parts = user?.role === 'user' ? user.content : [];
  const systemText = messages
    .flatMap((m) => (m.role === 'system' ? [m.content] : []))
    .join('\n')
    .slice(0, LONGEST_READ);
  const text = user ? textOf(user) : '';
  const count = (type: string): number => parts.filter((part) => part.type === type).length;
  const before = messages.slice(0, Math.max(0, last)).findLast((message) => message.role === 'assistant');
  return {
    persona: personaOf(systemText),
    text,
    chinese: /\p{Script=Han}/u.test(text),
    attachments: { image: count('image'), audio: count('audio'), file: count('file') },
    userTexts: messages.filter((message) => message.role === 'user').map(textOf),
    lastReply: before ? textOf(before) : '',
    results: messages
      .slice(last + 1)
      .flatMap((m) => (m.role === 'tool' ? [{ name: m.name, content: m.content.slice(0, LONGEST_RESULT) }] : [])),
    systemText,
  };
}

function textOf(message: ModelMessage): string {
  if (message.role !== 'user') return message.content.slice(0, LONGEST_READ);
  return message.content
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .slice(0, LONGEST_READ);
}

/** The name in a system prompt: "You are Jarvis", "your name is Ada", 你叫小明. */
function personaOf(system: string): string {
  const patterns = [
    /\b[Yy]our name is\s+(\p{Lu}[\p{L}\d-]*)/u,
    /\b[Yy]ou are\s+(?:an?\s[^.\n]{0,60}?\b(?:named|called)\s+)?(\p{Lu}[\p{L}\d-]*)/u,
    /你(?:的名字)?(?:是|叫)(?:一个[^，。\n]{0,20}叫)?\s*([A-Za-z][\w-]*)/u,
    /你(?:的名字是|叫)\s*(\p{Script=Han}{1,6})/u,
  ];
  for (const pattern of patterns) {
    const name = pattern.exec(system)?.[1];
    if (name && !ARTICLES.has(name)) return name;
  }
  return 'Friday';
}

/** A tool call that the offline model makes. */
export interface PlannedCall {
  readonly name: string;
  readonly arguments: JsonObject;
  /** Required properties for which the text has no value that their pattern allows. */
  readonly missing: readonly string[];
}

/** What the offline model does in a turn: call tools or answer with text. */
export type Plan =
  | { readonly kind: 'calls'; readonly calls: readonly PlannedCall[]; readonly why: string }
  | { readonly kind: 'text'; readonly text: string; readonly why: string };

/** A plan to answer with text. `why` is shown if the user asks for the reasoning. */
export function say(text: string, why: string): Plan {
  return { kind: 'text', text, why };
}
