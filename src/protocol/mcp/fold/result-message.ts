import { type JsonObject, VERSION } from '../../../common/index.js';
import { type CallData, META, type Peer, type RpcId } from '../mcp.types.js';

/** The server, as it names itself. */
export const SERVER_INFO: JsonObject = { name: 'parley', title: 'Parley', version: VERSION };

/** A result as the era of its client wants it: those of the modern one say what they are. */
export function resultFor(era: CallData['era'], result: JsonObject): JsonObject {
  if (era === 'legacy') return result;
  return { resultType: 'complete', ...result, _meta: { [META.serverInfo]: SERVER_INFO } };
}

/** An answer with the result of a call. */
export function resultMessage({ era, id }: Pick<CallData, 'era' | 'id'>, result: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, result: resultFor(era, result) };
}

/** How the answer of a request is written. */
export function answeringTo({ id, peer }: { readonly id: RpcId; readonly peer: Peer }): Pick<CallData, 'era' | 'id'> {
  return { id, era: peer.era };
}
