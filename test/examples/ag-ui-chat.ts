import { HttpAgent } from '@ag-ui/client';

/** Asks one question and returns the answer, printing it as it comes. */
export async function ask(serverUrl: string, question: string): Promise<string> {
  const agent = new HttpAgent({ url: `${serverUrl}/ag-ui`, threadId: 'docs-chat' });
  agent.addMessage({ id: 'question-1', role: 'user', content: question });
  await agent.runAgent({}, { onTextMessageContentEvent: ({ event }) => void process.stdout.write(event.delta) });
  return agent.messages.at(-1)?.content as string;
}
