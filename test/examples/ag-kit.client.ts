import cloudbase from '@cloudbase/js-sdk';

/** The part of the SDK's bot client that is used here. */
interface Bot {
  sendMessage(body: object): Promise<{ dataStream: AsyncIterable<{ type: string; content?: string }> }>;
}

/** Asks an agent over the vendor's SDK and returns the text of the answer. */
export async function ask(server: string, conversationId: string, question: string): Promise<string> {
  const app = cloudbase.init({ env: 'local', region: 'ap-shanghai', accessKey: 'any' });
  const { bot }: { bot: Bot } = app.ai({ baseUrl: `${server}/v1` });
  const messages = [{ role: 'user', content: question }];
  const { dataStream } = await bot.sendMessage({ botId: 'worker', conversationId, messages });
  let text = '';
  for await (const event of dataStream) if (event.type === 'text') text += event.content;
  return text;
}
