import { parseResponseFrames, ResponsesReader, type WireEvent } from '../../../../test/support/responses-reader.js';
import { ScriptedLog } from '../../../../test/support/scripted-log.js';
import { type JsonObject, SequentialIds } from '../../../common/index.js';
import { CALL_PERMISSION, type LoggedEvent, type Message } from '../../../events/index.js';
import { decodeCreateRequest } from '../responses-request.decoder.js';
import type { ItemSources } from '../request/input-item.decoder.js';
import { type ResponseInfo, storedResponseInfo } from '../response-info.js';
import { ResponsesEncoder } from '../responses.encoder.js';

/** The usage of a run. */
export const USAGE = { input_tokens: 3, output_tokens: 5, reasoning_tokens: 2, cached_tokens: 1 };

/** Ids in order, and content that is not encrypted. */
export function itemSources(): ItemSources {
  const ids = new SequentialIds();
  const decrypt = (content: string): string | undefined => /^sealed:(.*)$/.exec(content)?.[1];
  return { nextId: () => ids.next('msg_'), decrypt };
}

/** The info of a response. @param clientTools the tools that the client runs */
export function info(body: object = {}, clientTools: readonly string[] = ['lookup']): ResponseInfo {
  const { echo } = decodeCreateRequest(body, { items: itemSources(), defaultModel: 'worker' });
  return storedResponseInfo('resp_1', 'worker', { createdAt: 1_795_253_519, echo, clientTools, approvals: [] });
}

/** The info of a response whose request approved the call `call_1`. */
export function allowing(): ResponseInfo {
  const about = info();
  const request = {
    id: 'apr_1',
    type: 'mcp_approval_request',
    server_label: 'plugin',
    name: 'get_weather',
    arguments: '{"city":"Rome"}',
  } as const;
  const approvals = new Map([[request.id, request]]);
  return { ...about, items: { ...about.items, approvals, approved: [{ request, callId: 'call_1' }] } };
}

/** The stream of a log as a strict client reads it. */
export function encode(log: readonly LoggedEvent[], about = info()): { reader: ResponsesReader; done: boolean } {
  const encoder = new ResponsesEncoder(about);
  const frames = [...log.flatMap((event) => encoder.next(event)), ...encoder.end()];
  const { events, done } = parseResponseFrames(frames.join(''));
  const reader = new ResponsesReader();
  for (const event of events) reader.read(event);
  return { reader, done };
}

/** A log whose response is in progress. */
export function begun(): ScriptedLog {
  const log = new ScriptedLog();
  log.response.inProgress();
  return log;
}

/** A whole message. */
export function say(log: ScriptedLog, text: string): void {
  const message = log.response.createMessageBuilder();
  message.createContentBuilder().addTextDelta(text);
  message.complete();
}

/**
 * A whole call for the weather in Rome, its arguments in pieces.
 *
 * @param more.permission whether it turns out to need an approval; undefined where none is possible
 */
export function call(
  log: ScriptedLog,
  type: Message['type'],
  id: string,
  name: string,
  { permission, ...more }: { readonly permission?: 'needed' | 'none'; readonly server_label?: string } = {},
): void {
  const message = log.response.createMessageBuilder('assistant', type);
  message.created(permission ? { metadata: { [CALL_PERMISSION]: 'possible' } } : {});
  const content = message.createContentBuilder('data');
  content.addDataDelta({ call_id: id, name, arguments: '', ...more });
  content.addDataDelta({ arguments: '{"city":' });
  content.addDataDelta({ arguments: '"Rome"}' });
  message.complete(permission === 'needed' ? { metadata: { [CALL_PERMISSION]: permission } } : {});
}

/** The output of a call. */
export function outcome(log: ScriptedLog, type: Message['type'], id: string, output: string, metadata = {}): void {
  const message = log.response.createMessageBuilder('tool', type);
  message.createContentBuilder('data').addDataDelta({ call_id: id, name: 'get_weather', output });
  message.complete({ metadata });
}

/** The list of an MCP server's tools. */
export function list(log: ScriptedLog, data: JsonObject): void {
  const message = log.response.createMessageBuilder('assistant', 'mcp_list_tools');
  message.createContentBuilder('data').addDataDelta(data);
  message.complete();
}

/** A request for the approval of a call. */
export function ask(log: ScriptedLog, callId: string): void {
  const message = log.response.createMessageBuilder('assistant', 'mcp_approval_request');
  const data = { id: 'int_1', name: 'get_weather', arguments: '{"city":"Rome"}', server_label: 'local' };
  message.createContentBuilder('data').addDataDelta(data);
  message.complete({ metadata: { call_id: callId } });
}

/** Type, status and id of each announced or finished item. */
export function itemsOf(events: readonly WireEvent[], kind: 'added' | 'done'): unknown[] {
  return events
    .filter(({ type }) => type === `response.output_item.${kind}`)
    .map(({ item }) => [item?.type, item?.status ?? null, item?.id]);
}
