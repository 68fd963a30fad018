import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { WebSocket } from 'ws';
import { type Caller, UpgradeAdmission } from '../../../access/index.js';
import { RequestTraces } from '../../../telemetry/index.js';
import { ReceivedBytes } from '../../http/index.js';
import { ResponsesSettings } from '../responses.settings.js';
import { ConversationMemory } from './conversation-memory.js';
import { ResponseSocket } from './response-socket.js';
import { SocketResponders } from './socket-responder.js';

/** Makes what answers the messages of a WebSocket, for each connection. */
@Injectable()
export class ResponseSockets {
  constructor(
    private readonly responders: SocketResponders,
    private readonly admission: UpgradeAdmission,
    private readonly traces: RequestTraces,
    private readonly received: ReceivedBytes,
    private readonly settings: ResponsesSettings,
  ) {}

  /** @param request that has opened the connection @param caller who has sent it */
  create(connection: WebSocket, request: IncomingMessage, caller: Caller): ResponseSocket {
    const { admission, received, traces, settings } = this;
    const { http } = settings;
    const memory = new ConversationMemory((bytes) => received.remember(caller, bytes));
    return new ResponseSocket(connection, this.responders.create(caller, memory), {
      jsonLimits: { maxDepth: http.jsonDepthLimit, maxValues: http.jsonValuesLimit },
      keepAliveMs: http.keepAliveMs,
      slowReaderTimeoutMs: http.slowReaderTimeoutMs,
      lifetimeMs: settings.socketLifetimeMs,
      raw: request.socket,
      maxBytes: http.bodyLimitBytes,
      receive: (bytes) => received.receive(caller, bytes),
      isCurrent: () => admission.isCurrent(caller),
      watch: (end) => admission.watch(caller, end),
      trace: () => traces.beganOnSocket(request),
    });
  }
}
