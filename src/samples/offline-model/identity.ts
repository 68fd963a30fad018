import type { Conversation } from './conversation.js';

const WHO_ARE_YOU =
  /\bwho (?:are|r) (?:you|u)\b|\bwhat(?:'s|’s| is) your name\b|\bwhat are you\b(?! (?:doing|able))|\bintroduce yourself\b|\btell me about yourself\b|\b(?:what|which) (?:language )?model\b.{0,20}\b(?:are you|is this|do you|you)\b|\bare you (?:real|human|chatgpt|gpt|an? (?:ai|bot|robot|person|human|real|language))|你是谁|你叫什么|你是什么|你的名字|(?:介绍|说说)一?下?(?:你)?自己|你是(?:真|机器)人/i;
const WHO_AM_I =
  /\bwhat(?:'s|’s| is| was) my name\b|\b(?:know|remember|recall) (?:what )?my name\b|\bwho am i\b|我叫(?:什么|啥)|我的名字(?:是|叫)?(?:什么|啥)|我是谁|(?:记得|知道)我(?:的名字|叫什么|是谁)/i;

const LATIN_NAME = "(\\p{L}[\\p{L}'’-]*(?:[ ]\\p{Lu}[\\p{L}'’-]*){0,3})";
const NAME_PATTERNS = [
  new RegExp(`\\b[Mm]y [Nn]ame(?:'s|’s| [Ii]s)\\s+${LATIN_NAME}`, 'u'),
  new RegExp(`\\b(?:[Cc]all me|[Ii](?:'m|’m| am) (?:called|named))\\s+${LATIN_NAME}`, 'u'),
  new RegExp("\\b(?:I'm|I’m|I am)\\s+(\\p{Lu}[\\p{L}'’-]+(?:[ ]\\p{Lu}[\\p{L}'’-]*){0,3})(?=[\\s.,!;]|$)", 'u'),
  /我(?:的名字是|的名字叫|名叫|叫做|叫)\s*(?!什么|啥)([\p{L}\d·]{1,20}?)(?=$|[\s，。,.!！?？、；;])/u,
  /我是\s*([A-Za-z][\p{L}'-]{0,20})/u,
];
const NOT_A_NAME = /^(?:what|not|a|an|the|unknown|secret|important|me|you|it|maybe|later|when|if)$/i;

/** Answers "who are you?": the persona, and what it really is. Undefined when that was not asked. */
export function answerIdentity(talk: Conversation): string | undefined {
  if (!WHO_ARE_YOU.test(talk.text) || WHO_AM_I.test(talk.text)) return undefined;
  return talk.chinese
    ? `我是 ${talk.persona}，运行在 Parley 内置的离线演示模型上。我不是真正的大语言模型，只按固定规则回答。要使用真实模型，请设置环境变量 LLM_BASE_URL、LLM_API_KEY 和 LLM_MODEL（或只设置 DASHSCOPE_API_KEY 或 OPENAI_API_KEY），然后重启服务。`
    : `I am ${talk.persona}, running on Parley's built-in offline demo model. I am not a real language model: I answer by fixed rules, without a key or a network. To use a real model, set the environment variables LLM_BASE_URL, LLM_API_KEY and LLM_MODEL (or just DASHSCOPE_API_KEY or OPENAI_API_KEY) and restart the server.`;
}

/** Answers "what is my name?" from the conversation, and greets a user who just told it. */
export function answerName(talk: Conversation): string | undefined {
  if (WHO_AM_I.test(talk.text)) {
    const name = talk.userTexts.map(nameIn).findLast((found) => found !== undefined);
    if (talk.chinese) return name ? `你的名字是 ${name}。` : '在这段对话里，你还没有告诉我你的名字。';
    return name ? `Your name is ${name}.` : 'You have not told me your name in this conversation.';
  }
  const name = nameIn(talk.text);
  if (!name) return undefined;
  return talk.chinese
    ? `你好，${name}！我是 ${talk.persona}。我会在这段对话里记住你的名字。`
    : `Hello, ${name}! I am ${talk.persona}. Nice to meet you: I will remember your name in this conversation.`;
}

function nameIn(text: string): string | undefined {
  for (const pattern of NAME_PATTERNS) {
    const name = pattern.exec(text)?.[1]?.replace(/['’-]+$/, '');
    if (name && !NOT_A_NAME.test(name)) return name;
  }
  return undefined;
}
