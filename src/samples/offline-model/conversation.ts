import type { ModelMessage, ModelRequest } from '../../agent/index.js';

/** Everything that the offline model uses for an answer, read from the request. */
export interface Conversation {
  /** The name that the system prompt gives the assistant; `Friday` if it gives none. */
  readonly persona: string;
  /** The text of the last user message. */
  readonly text: string;
  readonly chinese: boolean;
  /** How many parts of the last user message the model cannot read. */
  readonly attachments: number;
  /** Texts of all user messages, oldest first, including the last one. */
  readonly userTexts: readonly string[];
  /** The text of the last assistant message before the last user message. */
  readonly lastReply: string;
  /** Tool results since the last user message. */
  readonly results: readonly { readonly name: string; readonly content: string }[];
  readonly systemText: string;
}

/** Characters of each text that the rules look at: their patterns are not made for books. */
const LONGEST_READ = 20_000;
/** Characters of a tool result, which is quoted in part: as long as tools of the server make them. */
const LONGEST_RESULT = 65_536;

/** Extracts from a request what the offline model uses. */
export function readConversation({ messages }: ModelRequest): Conversation {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const user = messages[last];
  const text = user ? textOf(user) : '';
  const before = messages.slice(0, Math.max(0, last)).findLast(({ role }) => role === 'assistant');
  const systemText = messages.flatMap((m) => (m.role === 'system' ? [m.content] : [])).join('\n');
  return {
    persona: personaOf(systemText.slice(0, LONGEST_READ)),
    text,
    chinese: /\p{Script=Han}/u.test(text),
    attachments: user?.role === 'user' ? user.content.filter(({ type }) => type !== 'text').length : 0,
    userTexts: messages.filter(({ role }) => role === 'user').map(textOf),
    lastReply: before ? textOf(before) : '',
    results: messages
      .slice(last + 1)
      .flatMap((m) => (m.role === 'tool' ? [{ name: m.name, content: m.content.slice(0, LONGEST_RESULT) }] : [])),
    systemText: systemText.slice(0, LONGEST_READ),
  };
}

function textOf(message: ModelMessage): string {
  const { content } = message;
  const text =
    typeof content === 'string' ? content : content.flatMap((p) => (p.type === 'text' ? [p.text] : [])).join('\n');
  return text.slice(0, LONGEST_READ);
}

/** The name in a system prompt: "You are Jarvis", "Your name is Ada", 你叫小明. */
function personaOf(system: string): string {
  const name =
    /\b[Yy]our name is\s+(\p{Lu}[\p{L}\d-]*)/u.exec(system) ??
    /\b[Yy]ou are\s+(?:an?\s[^.\n]{0,60}?\b(?:named|called)\s+)?(?!(?:An?|The|In|On|Not|Only|Always)\b)(\p{Lu}[\p{L}\d-]*)/u.exec(
      system,
    ) ??
    /你(?:的名字是|叫)\s*([A-Za-z][\w-]*|\p{Script=Han}{1,6})/u.exec(system);
  return name?.[1] ?? 'Friday';
}
