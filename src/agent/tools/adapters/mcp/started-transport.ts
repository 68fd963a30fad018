import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { StdioTransport } from './stdio-transport.js';

/** A process that runs already, for the library of the protocol, which wants to start it. */
export class StartedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(private readonly transport: StdioTransport) {}

  start(): Promise<void> {
    this.transport.onclose = () => this.onclose?.();
    this.transport.onerror = (error) => this.onerror?.(error);
    this.transport.onmessage = (message) => this.onmessage?.(message);
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.transport.send(message);
  }

  close(): Promise<void> {
    return this.transport.close();
  }
}
