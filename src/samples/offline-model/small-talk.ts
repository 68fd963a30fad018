import type { ToolDeclaration } from '../../tools/index.js';
import type { Conversation } from './conversation.js';

/** Names the attachments that the model cannot read; undefined without attachments. */
export function attachmentNotice({ attachments, chinese }: Conversation): string | undefined {
  const { image, audio, file } = attachments;
  const counted = [plural(image, 'image'), plural(audio, 'audio clip'), plural(file, 'file')].filter(
    (text) => text !== undefined,
  );
  if (counted.length === 0) return undefined;
  if (chinese) {
    const zh = [image && `${image} 张图片`, audio && `${audio} 段音频`, file && `${file} 个文件`].filter(Boolean);
    return `我收到了${zh.join('、')}，但离线演示模型看不到其中的内容。`;
  }
  return `I received ${counted.join(' and ')}, but as an offline demo model I cannot see ${image + audio + file > 1 ? 'them' : 'it'}.`;
}

/** Answers a greeting or thanks. */
export function answerCourtesy({ text, persona, chinese }: Conversation): string | undefined {
  if (/^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening))\b[^?]{0,40}$/i.test(text)) {
    return `Hello! I am ${persona}, on Parley's offline demo model. What would you like to try?`;
  }
  if (/^\s*(?:你好|您好|嗨|早上好|晚上好)/.test(text))
    return `你好！我是 ${persona}，运行在 Parley 的离线演示模型上。想试试什么？`;
  if (/^\s*(?:thanks|thank you)\b/i.test(text)) return 'You are welcome.';
  return /^\s*(?:谢谢|多谢)/.test(text) && chinese ? '不客气。' : undefined;
}

/** The last resort: repeats the user's text and says what the offline model can do. */
export function answerAnythingElse(
  { text, persona, chinese }: Conversation,
  tools: readonly ToolDeclaration[],
): string {
  const quote = quoted(text);
  const names = tools
    .slice(0, 8)
    .map((tool) => tool.name)
    .join(', ');
  if (chinese) {
    return `${quote ? `你说：“${quote}”。` : ''}我是 ${persona}，运行在 Parley 的离线演示模型上，不能真正回答这个问题。我能做的有：记住你的名字，说明我是谁，调用工具${names ? `（${names}）` : ''}，展示思考过程（“想一想”），以及数数（“数到 50”）。设置 LLM_BASE_URL 等环境变量即可使用真实模型。`;
  }
  return `${quote ? `You said: "${quote}". ` : ''}I am ${persona} on Parley's offline demo model, so I cannot really answer that. What I can do: remember your name, say who I am, call tools${names ? ` (${names})` : ''}, show reasoning when asked to think, answer a few facts, and stream long answers ("count to 50 slowly"). Configure a real model with LLM_BASE_URL, LLM_API_KEY and LLM_MODEL.`;
}

/** Quotes the user's text, cut to 80 characters. */
export function quoted(text: string): string {
  const line = Array.from(text.replace(/\s+/g, ' ').trim());
  return line.length > 80 ? `${line.slice(0, 80).join('')}…` : line.join('');
}

function plural(count: number, noun: string): string | undefined {
  if (count === 0) return undefined;
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Questions about the assistant. */
const WHO_ARE_YOU =
  /\bwho (?:are|r) (?:you|u)\b|\bwhat(?:'s|’s| is) your name\b|\bwhat are you\b(?! (?:doing|able))|\bintroduce yourself\b|\btell me about yourself\b|\b(?:what|which) (?:language )?model\b.{0,20}\b(?:are you|is this|do you|you)\b|\bare you (?:real|human|chatgpt|gpt|an? (?:ai|bot|robot|person|human|real|language))|你是谁|你叫什么|你是什么|你的名字|(?:介绍|说说)一?下?(?:你)?自己|你是(?:真|机器)人/i;
/** Questions about the user's name. */
const WHO_AM_I =
  /\bwhat(?:'s|’s| is| was) my name\b|\b(?:know|remember|recall) (?:what )?my name\b|\bwho am i\b|我叫(?:什么|啥)|我的名字(?:是|叫)?(?:什么|啥)|我是谁|(?:记得|知道)我(?:的名字|叫什么|是谁)/i;

const LATIN_NAME = "(\\p{L}[\\p{L}'’-]*(?:[ ]\\p{Lu}[\\p{L}'’-]*){0,3})";
/** Ways in which users give their name. Capital letters are required, so that "I'm tired" is not a name. */
const NAME_PATTERNS = [
  new RegExp(`\\b[Mm]y [Nn]ame(?:'s|’s| [Ii]s)\\s+${LATIN_NAME}`, 'u'),
  new RegExp(`\\b(?:[Cc]all me|[Ii](?:'m|’m| am) (?:called|named))\\s+${LATIN_NAME}`, 'u'),
  new RegExp("\\b(?:I'm|I’m|I am)\\s+(\\p{Lu}[\\p{L}'’-]+(?:[ ]\\p{Lu}[\\p{L}'’-]*){0,3})(?=[\\s.,!;]|$)", 'u'),
  /我(?:的名字是|的名字叫|名叫|叫做|叫)\s*(?!什么|啥)([\p{L}\d·]{1,20}?)(?=$|[\s，。,.!！?？、；;])/u,
  /我是\s*([A-Za-z][\p{L}'-]{0,20})/u,
];
/** Words after "my name is" that are not names. */
const NOT_A_NAME = /^(?:what|not|a|an|the|unknown|secret|important|me|you|it|maybe|later|when|if)$/i;

/** Answers "who are you?" with the persona and the fact that this is a demo model; undefined for other questions. */
export function answerIdentity(talk: Conversation): string | undefined {
  if (!WHO_ARE_YOU.test(talk.text) || WHO_AM_I.test(talk.text)) return undefined;
  return talk.chinese
    ? `我是 ${talk.persona}，运行在 Parley 内置的离线演示模型上。我不是真正的大语言模型，只按固定规则回答。要使用真实模型，请设置环境变量 LLM_BASE_URL、LLM_API_KEY 和 LLM_MODEL（或只设置 DASHSCOPE_API_KEY 或 OPENAI_API_KEY），然后重启服务。`
    : `I am ${talk.persona}, running on Parley's built-in offline demo model. I am not a real language model: I answer by fixed rules, without a key or a network. To use a real model, set the environment variables LLM_BASE_URL, LLM_API_KEY and LLM_MODEL (or just DASHSCOPE_API_KEY or OPENAI_API_KEY) and restart the server.`;
}

/** Answers "what is my name?" from the conversation, and greets a user who gives a name. */
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

/** The name that a user gives in a text: "my name is Ana", "I'm Ana", 我叫小明. */
function nameIn(text: string): string | undefined {
  for (const pattern of NAME_PATTERNS) {
    const name = pattern.exec(text)?.[1]?.replace(/['’-]+$/, '');
    if (name && !NOT_A_NAME.test(name)) return name;
  }
  return undefined;
}

/** Capitals by country, in lower case. */
const CAPITALS: Readonly<Record<string, string>> = {
  france: 'Paris',
  germany: 'Berlin',
  china: 'Beijing',
  japan: 'Tokyo',
};
const CAPITALS_ZH: Readonly<Record<string, string>> = { 法国: '巴黎', 德国: '柏林', 中国: '北京', 日本: '东京' };

/** Answers questions about a few capitals, and simple arithmetic. */
export function answerFact(text: string): string | undefined {
  const country = /\bcapital (?:city )?of ([a-z]+)/i.exec(text)?.[1];
  const capital = country && CAPITALS[country.toLowerCase()];
  if (country && capital) return `The capital of ${country} is ${capital}.`;
  const land = /(\p{Script=Han}{2,4}?)的?首都/u.exec(text)?.[1];
  const city = land && CAPITALS_ZH[land];
  if (land && city) return `${land}的首都是${city}。`;
  return answerSum(text);
}

/** Answers an arithmetic question with two numbers: "what is 12 * 7?". */
function answerSum(text: string): string | undefined {
  const number = '(-?\\d{1,12}(?:\\.\\d{1,6})?)';
  const match = new RegExp(
    // The first number does not begin within an id or a date, such as 2026-11-25.
    `(?<![\\w.-])${number}\\s*(\\+|-|\\*|x|×|/|÷|plus|minus|times|divided by)\\s*${number}\\s*(?:[=?？.]|$)`,
    'i',
  ).exec(text);
  if (!match) return undefined;
  const [, left = '', operator = '', right = ''] = match;
  const result = calculate(Number(left), operator.toLowerCase(), Number(right));
  return Number.isFinite(result) ? `${left} ${operator} ${right} = ${Number(result.toPrecision(12))}` : undefined;
}

function calculate(left: number, operator: string, right: number): number {
  if (operator === '+' || operator === 'plus') return left + right;
  if (operator === '-' || operator === 'minus') return left - right;
  if (operator === '/' || operator === '÷' || operator === 'divided by') return left / right;
  return left * right;
}
