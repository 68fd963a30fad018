import type { ToolDeclaration } from '../../tools/index.js';
import type { Conversation } from './conversation.js';

/** Says what came along that cannot be read; undefined when nothing did. */
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

/** The honest last resort: what was said, and what can be tried. */
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

/** A short quotation of a user's text. */
export function quoted(text: string): string {
  const line = Array.from(text.replace(/\s+/g, ' ').trim());
  return line.length > 80 ? `${line.slice(0, 80).join('')}…` : line.join('');
}

function plural(count: number, noun: string): string | undefined {
  if (count === 0) return undefined;
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
