import { CopilotKitCore } from '@copilotkit/core';

/** Opens a thread as a page does: shows its history and follows the run in progress. */
export async function openThread(serverUrl: string, threadId: string): Promise<CopilotKitCore> {
  const core = new CopilotKitCore({ runtimeUrl: `${serverUrl}/copilotkit`, headers: { 'X-User-Id': 'alice' } });
  await new Promise<void>((resolve) => {
    core.subscribe({
      onAgentsChanged: () => {
        if (core.getAgent('default')) resolve();
      },
    });
  });
  const agent = core.getAgent('default');
  if (!agent) throw new Error('the server lists no agent');
  agent.threadId = threadId;
  await core.connectAgent({ agent });
  return core;
}
