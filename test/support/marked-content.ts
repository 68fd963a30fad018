import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ModelClient, type ModelEvent, type ModelRequest } from '../../src/agent/index.js';
import { call, finish, text } from '../../src/agent/testing/scripted-model-client.js';
import { AgentTool } from '../../src/agent/tools/index.js';
import { png } from './images.js';
import { ProcessClient } from './process-client.js';

/** In all content. */
export const MARK = 'Zanzibar';

/** Asks for a permission if it is told to note something, and then says what the tool did; or just answers. */
export class NotingModel extends ModelClient {
  readonly provider = 'noting';
  readonly requests: ModelRequest[] = [];

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent[], void, void> {
    this.requests.push(request);
    const last = request.messages.at(-1);
    const words = last?.role === 'user' && last.content[0]?.type === 'text' ? last.content[0].text : '';
    if (words.startsWith('Note'))
      yield [call(0, 'note', `{"words":"${MARK} noted"}`, `call_${this.requests.length}`), finish('tool-calls')];
    else yield await Promise.resolve([text(`${MARK} answers ${words}`), finish()]);
  }
}

/** The tool of the model. */
@Injectable()
export class Notes {
  @AgentTool({ description: 'Notes', effects: 'unsafe', parameters: { type: 'object' } })
  note({ words }: { words: string }): Promise<string> {
    return Promise.resolve(`${MARK} result of ${words}`);
  }
}

/** A permission of the Agent API that is given. Returns the id of the run that asked. */
export async function noted(url: string, session_id: string): Promise<string> {
  const client = new ProcessClient(url);
  const session = { session_id, user_id: 'alice' };
  const words = { role: 'user', content: [{ type: 'text', text: `Note ${MARK}` }] };
  const { frames } = await (await client.open({ input: [words], ...session })).all();
  const asked = frames.at(-1);
  const id = asked?.output?.at(-1)?.content?.[0]?.data?.['id'];
  const data = { approve: true, id, approval_request_id: id, reason: `${MARK} says so` };
  const answer = { type: 'mcp_approval_response', role: 'user', content: [{ type: 'data', data }] };
  const { frames: after } = await (await client.open({ input: [answer], ...session })).all();
  expect(JSON.stringify(after.at(-1))).toContain(`${MARK} result of ${MARK} noted`);
  return String(asked?.id);
}

/** State of a client, which the agent does not change. */
export async function shareState(url: string, threadId: string): Promise<void> {
  const answer = await fetch(`${url}/ag-ui`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-user-id': 'alice' },
    body: JSON.stringify({
      threadId,
      runId: randomUUID(),
      state: { secret: MARK },
      messages: [{ id: randomUUID(), role: 'user', content: `State of ${MARK}` }],
    }),
  });
  expect(await answer.text()).toContain('RUN_FINISHED');
}

/** An image that holds the mark. */
export async function upload(server: string): Promise<{ url: string; bytes: Buffer }> {
  const bytes = Buffer.concat([png(), Buffer.from(MARK)]);
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'image.png');
  const path = '/api/v1/agent/attachments?user_id=alice';
  const answer = await fetch(`${server}${path}`, { method: 'POST', body: form });
  const { url } = (await answer.json()) as { url: string };
  return { url, bytes };
}
