import { type ReadableStream as WebStream, TransformStream } from 'node:stream/web';
import { readableMessage, writtenMessage } from './exact-wire.js';

type ResponseBody = ConstructorParameters<typeof Response>[0];

/** `fetch` for the transport over HTTP, which keeps the texts of messages (see `exact-wire`). */
export async function exactFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const { body } = init;
  const sent = typeof body === 'string' ? { ...init, body: writtenMessage(body) } : init;
  const response = await fetch(url, sent);
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || !response.body) return response;
  const { status, statusText, headers } = response;
  const head = { status, statusText, headers };
  if (/^application\/json\b/i.test(type)) return new Response(readableMessage(await response.text()), head);
  return /^text\/event-stream\b/i.test(type)
    ? new Response(readableEvents(response.body as WebStream<Uint8Array>) as ResponseBody, head)
    : response;
}

/** The lines of an event stream, each as soon as it is whole. */
function readableEvents(body: WebStream<Uint8Array>): WebStream<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  const lines = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      rest += decoder.decode(chunk, { stream: true });
      const end = Math.max(rest.lastIndexOf('\n'), rest.lastIndexOf('\r')) + 1;
      if (end === 0) return;
      controller.enqueue(encoder.encode(readableLines(rest.slice(0, end))));
      rest = rest.slice(end);
    },
    flush(controller) {
      rest += decoder.decode();
      if (rest !== '') controller.enqueue(encoder.encode(readableLines(rest)));
    },
  });
  return body.pipeThrough(lines);
}

function readableLines(text: string): string {
  return text.replace(/^data:.*$/gm, (line) => readableMessage(line));
}
