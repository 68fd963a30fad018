import type { ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import type { NativePart } from './native-server.js';
import { anthropicAnswer, geminiAnswer } from './provider-streams.js';

type Answer = (response: ServerResponse, parts: readonly NativePart[]) => void;

const hasCall = (parts: readonly NativePart[]): boolean => parts.some((part) => 'call' in part);

/** As Anthropic's Messages API streams it. */
export const anthropicStream: Answer = (response, parts) =>
  anthropicAnswer(
    parts.map((part) => {
      if ('thought' in part) return { thinking: part.thought, signature: part.signature ?? '' };
      return 'text' in part
        ? { text: part.text }
        : { tool: part.call, id: part.id, input: [JSON.stringify(part.args)] };
    }),
    hasCall(parts) ? 'tool_use' : 'end_turn',
  )(response);

/** As Gemini's `streamGenerateContent` does. */
export const geminiStream: Answer = (response, parts) =>
  geminiAnswer(
    parts.map((part) => {
      const { signature } = part;
      const signed = signature === undefined ? {} : { thoughtSignature: signature };
      if ('thought' in part) return { text: part.thought, thought: true, ...signed };
      return 'text' in part
        ? { text: part.text, ...signed }
        : { functionCall: { name: part.call, args: part.args }, ...signed };
    }),
  )(response);

/** As OpenAI's Responses API does. */
export const responsesStream: Answer = (response, parts) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let number = 0;
  const send = (type: string, fields: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...fields })}\n\n`);
    number += 1;
  };
  const made = { id: 'resp_1', created_at: 1, model: 'gpt', object: 'response', output: [] };
  send('response.created', { response: { ...made, status: 'in_progress' } });
  parts.forEach((part, output_index) => {
    const id = `item_${output_index}`;
    const item = itemOf(part, id);
    send('response.output_item.added', { output_index, item: { ...item, ...emptied(part) } });
    const place = { item_id: id, output_index };
    if ('text' in part) {
      send('response.output_text.delta', { ...place, content_index: 0, delta: part.text, logprobs: [] });
    }
    if ('call' in part) send('response.function_call_arguments.delta', { ...place, delta: JSON.stringify(part.args) });
    if ('thought' in part) {
      send('response.reasoning_summary_part.added', { ...place, summary_index: 0 });
      send('response.reasoning_summary_text.delta', { ...place, summary_index: 0, delta: part.thought });
    }
    send('response.output_item.done', { output_index, item });
  });
  const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
  send('response.completed', { response: { ...made, status: 'completed', usage } });
  response.end();
};

function itemOf(part: NativePart, id: string): object {
  if ('thought' in part) {
    const summary = [{ type: 'summary_text', text: part.thought }];
    return { type: 'reasoning', id, summary, encrypted_content: part.signature ?? null };
  }
  if ('text' in part) {
    const content = [{ type: 'output_text', text: part.text, annotations: [] }];
    return { type: 'message', id, role: 'assistant', status: 'completed', content };
  }
  const { call: name, args, id: call_id } = part;
  return { type: 'function_call', id, call_id, name, arguments: JSON.stringify(args), status: 'completed' };
}

function emptied(part: NativePart): object {
  if ('thought' in part) return { summary: [] };
  return 'text' in part ? { content: [], status: 'in_progress' } : { arguments: '', status: 'in_progress' };
}

/** As servers with the Chat Completions API do; thoughts in the form of the server. */
export function completionStream(thoughtDelta: (thought: string) => object): Answer {
  return (response, parts) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (choice: object): void => {
      const chunk = {
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, ...choice }],
      };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    let calls = 0;
    for (const part of parts) {
      if ('thought' in part) send({ delta: { role: 'assistant', ...thoughtDelta(part.thought) } });
      else if ('text' in part) send({ delta: { role: 'assistant', content: part.text } });
      else {
        const made = { name: part.call, arguments: JSON.stringify(part.args) };
        send({ delta: { tool_calls: [{ index: calls, id: part.id, type: 'function', function: made }] } });
        calls += 1;
      }
    }
    send({ delta: {}, finish_reason: calls > 0 ? 'tool_calls' : 'stop' });
    response.end('data: [DONE]\n\n');
  };
}

/** As Bedrock's Converse API does, in the binary frames of AWS. */
export const bedrockStream: Answer = (response, parts) => {
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
  const send = (type: string, payload: object): void => void response.write(awsFrame(type, payload));
  send('messageStart', { role: 'assistant' });
  parts.forEach((part, contentBlockIndex) => {
    const delta = (value: object): void => send('contentBlockDelta', { contentBlockIndex, delta: value });
    if ('call' in part) {
      const toolUse = { toolUseId: part.id, name: part.call };
      send('contentBlockStart', { contentBlockIndex, start: { toolUse } });
      delta({ toolUse: { input: JSON.stringify(part.args) } });
    } else if ('text' in part) delta({ text: part.text });
    else {
      delta({ reasoningContent: { text: part.thought } });
      if (part.signature !== undefined) delta({ reasoningContent: { signature: part.signature } });
    }
    send('contentBlockStop', { contentBlockIndex });
  });
  send('messageStop', { stopReason: hasCall(parts) ? 'tool_use' : 'end_turn' });
  send('metadata', { usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 }, metrics: { latencyMs: 1 } });
  response.end();
};

/** One event: lengths and a sum of them, headers, the payload, and a sum of everything. */
function awsFrame(eventType: string, payload: object): Buffer {
  const header = (name: string, value: string): Buffer => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Buffer.byteLength(value));
    return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)]);
  };
  const headers = Buffer.concat([
    header(':event-type', eventType),
    header(':content-type', 'application/json'),
    header(':message-type', 'event'),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const sum = (bytes: Buffer): Buffer => {
    const four = Buffer.alloc(4);
    four.writeUInt32BE(crc32(bytes));
    return four;
  };
  const before = Buffer.concat([prelude, sum(prelude), headers, body]);
  return Buffer.concat([before, sum(before)]);
}
