import { randomUUID } from 'node:crypto';
import { jsonFrames } from './sse.js';

/** One conversation over one wire. */
export interface Talk {
  /** Sends a message and reads the whole answer. @param image its address */
  say(text: string, image?: string): Promise<void>;
  /** Routes that show the messages of the session to readers. */
  readonly shownAt: readonly Reading[];
}

/** A request that shows messages. */
export interface Reading {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
}

/** Sends a request and gives the text of its answer, which must be a success. */
export type Send = (path: string, body: object, headers?: Record<string, string>) => Promise<string>;

const agUiTalk =
  (path: string, shownAt: (threadId: string) => readonly Reading[] = () => []) =>
  (send: Send): Talk => {
    const threadId = randomUUID();
    const messages: object[] = [];
    return {
      say: async (text, image) => {
        const source = { type: 'url', value: image, mimeType: 'image/png' };
        const content =
          image === undefined
            ? text
            : [
                { type: 'text', text },
                { type: 'image', source },
              ];
        messages.push({ id: randomUUID(), role: 'user', content });
        const rest = { tools: [], context: [], state: {}, forwardedProps: {} };
        const frames = jsonFrames(await send(path, { threadId, runId: randomUUID(), messages, ...rest }));
        expect(frames.at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
        const id = frames.find(({ type }) => type === 'TEXT_MESSAGE_START')?.['messageId'];
        messages.push({ id, role: 'assistant', content: 'I see it.' });
      },
      shownAt: [{ path: `/api/v1/sessions/${threadId}/messages` }, ...shownAt(threadId)],
    };
  };

/** How stock clients of each wire talk. @param first the id of the first item of a list */
export const WIRE_TALKS: Readonly<Record<string, (send: Send, first: (path: string) => Promise<string>) => Talk>> = {
  'the Agent API': (send) => {
    const session = randomUUID();
    const first = randomUUID();
    return {
      say: async (text, image) => {
        const content = [{ type: 'text', text }, ...(image === undefined ? [] : [{ type: 'image', image_url: image }])];
        const id = image === undefined ? randomUUID() : first;
        await send('/process', { id, session_id: session, input: [{ role: 'user', content }] });
      },
      shownAt: [{ path: `/api/v1/sessions/${session}/messages` }, { path: `/api/v1/runs/${first}/request` }],
    };
  },
  'the Agent API, with the whole conversation': (send) => {
    const session = randomUUID();
    const input: object[] = [];
    return {
      say: async (text, image) => {
        const content = [{ type: 'text', text }, ...(image === undefined ? [] : [{ type: 'image', image_url: image }])];
        input.push({ role: 'user', content });
        await send('/process', { session_id: session, input });
        input.push({ role: 'assistant', content: [{ type: 'text', text: 'I see it.' }] });
      },
      shownAt: [{ path: `/api/v1/sessions/${session}/messages` }],
    };
  },
  'AG-UI': agUiTalk('/ag-ui'),
  CopilotKit: agUiTalk('/copilotkit/agent/default/run', (threadId) => [
    { path: `/copilotkit/threads/${threadId}/messages` },
    { path: `/copilotkit/threads/${threadId}/events` },
    {
      method: 'POST',
      path: '/copilotkit/agent/default/connect',
      body: { threadId, runId: 'c', messages: [], tools: [], context: [], state: {}, forwardedProps: {} },
    },
  ]),
  'AG-Kit with AG-UI': agUiTalk('/send-message'),
  'Responses, with a conversation': (send) => {
    let conversation: string | undefined;
    const shownAt: Reading[] = [];
    return {
      say: async (text, image) => {
        if (conversation === undefined) {
          const created = JSON.parse(await send('/v1/conversations', {})) as { id: string };
          conversation = created.id;
          shownAt.push({ path: `/v1/conversations/${conversation}/items` });
        }
        const body = { model: 'x', conversation, input: [responseItem(text, image)] };
        const { id } = JSON.parse(await send('/v1/responses', body)) as { id: string };
        if (image !== undefined) shownAt.push({ path: `/v1/responses/${id}/input_items` });
      },
      shownAt,
    };
  },
  'Responses, with added items': (send) => {
    let conversation: string | undefined;
    const shownAt: Reading[] = [];
    return {
      say: async (text, image) => {
        if (conversation === undefined) {
          const items = [responseItem('Before', image)];
          const created = JSON.parse(await send('/v1/conversations', { items })) as { id: string };
          conversation = created.id;
          shownAt.push({ path: `/v1/conversations/${conversation}/items` });
        }
        await send('/v1/responses', { model: 'x', conversation, input: text });
      },
      shownAt,
    };
  },
  'Responses, after the response': (send) => {
    let previous: string | undefined;
    return {
      say: async (text, image) => {
        const body = { model: 'x', previous_response_id: previous, input: [responseItem(text, image)] };
        const { id } = JSON.parse(await send('/v1/responses', body)) as { id: string };
        previous = id;
      },
      shownAt: [],
    };
  },
  'Responses, by reference': (send, first) => {
    let input: object[] = [];
    return {
      say: async (text, image) => {
        input.push(responseItem(text, image));
        const body = { model: 'x', input };
        const { id } = JSON.parse(await send('/v1/responses', body)) as { id: string };
        input = [{ type: 'item_reference', id: await first(`/v1/responses/${id}/input_items`) }];
      },
      shownAt: [],
    };
  },
  'Responses, with the whole conversation': (send) => {
    const input: object[] = [];
    return {
      say: async (text, image) => {
        input.push(responseItem(text, image));
        const { output } = JSON.parse(await send('/v1/responses', { model: 'x', input })) as { output: object[] };
        input.push(...output);
      },
      shownAt: [],
    };
  },
  'Chat Completions, with a session': (send) => {
    const session = randomUUID();
    const shownAt: Reading[] = [{ path: `/api/v1/sessions/${session}/messages` }];
    return {
      say: async (text, image) => {
        const body = { model: 'x', store: true, messages: [completionMessage(text, image)] };
        const answer = await send('/v1/chat/completions', body, { 'x-session-id': session });
        const { id } = JSON.parse(answer) as { id: string };
        if (image !== undefined) shownAt.push({ path: `/v1/chat/completions/${id}/messages` });
      },
      shownAt,
    };
  },
  'Chat Completions, with the whole conversation': (send) => {
    const messages: object[] = [];
    return {
      say: async (text, image) => {
        messages.push(completionMessage(text, image));
        await send('/v1/chat/completions', { model: 'x', messages });
        messages.push({ role: 'assistant', content: 'I see it.' });
      },
      shownAt: [],
    };
  },
  'the AI SDK': (send) => {
    const id = randomUUID();
    const messages: object[] = [];
    return {
      say: async (text, image) => {
        const file = { type: 'file', mediaType: 'image/png', url: image };
        const parts = [{ type: 'text', text }, ...(image === undefined ? [] : [file])];
        messages.push({ id: randomUUID(), role: 'user', parts });
        const chunks = jsonFrames(await send('/ai-sdk', { id, trigger: 'submit-message', messages }));
        const start = chunks.find(({ type }) => type === 'start');
        messages.push({ id: start?.['messageId'], role: 'assistant', parts: [{ type: 'text', text: 'I see it.' }] });
      },
      shownAt: [{ path: `/api/v1/sessions/${id}/messages` }, { path: `/ai-sdk/${id}/messages` }],
    };
  },
  'the AI SDK, with the last message': (send) => {
    const id = randomUUID();
    return {
      say: async (text, image) => {
        const file = { type: 'file', mediaType: 'image/png', url: image };
        const parts = [{ type: 'text', text }, ...(image === undefined ? [] : [file])];
        await send('/ai-sdk', { id, message: { id: randomUUID(), role: 'user', parts } });
      },
      shownAt: [{ path: `/ai-sdk/${id}/messages` }],
    };
  },
  'the Runs API': (send) => {
    const threadId = randomUUID();
    const shownAt: Reading[] = [{ path: `/api/v1/sessions/${threadId}/messages` }];
    return {
      say: async (text, image) => {
        const parts = image === undefined ? [] : [{ type: 'binary', mimeType: 'image/png', url: image }];
        const messages = [{ id: randomUUID(), role: 'user', content: [...parts, { type: 'text', text }] }];
        const input = { threadId, runId: randomUUID(), messages, forwardedProps: { agent_type: 'worker' } };
        await send('/api/v1/agent/runs?prefer=stream', input);
      },
      shownAt,
    };
  },
};

function completionMessage(text: string, image?: string): object {
  const picture = { type: 'image_url', image_url: { url: image } };
  return { role: 'user', content: [{ type: 'text', text }, ...(image === undefined ? [] : [picture])] };
}

function responseItem(text: string, image?: string): object {
  const picture = { type: 'input_image', image_url: image, detail: 'auto' };
  return { role: 'user', content: [{ type: 'input_text', text }, ...(image === undefined ? [] : [picture])] };
}
