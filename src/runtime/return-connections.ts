import type { ChildProcess, SendHandle, Serializable } from 'node:child_process';
import type { Worker } from 'node:cluster';

/** What Node's first process sends with a connection. */
interface NewConnection {
  readonly act?: string;
  readonly seq?: number;
}

/** What Node's other processes answer. */
interface Acknowledgement {
  readonly ack?: number;
}

/** The methods of a process with a channel, as Node's cluster module calls them. */
type Channel = ChildProcess & { send(message: Serializable, handle?: SendHandle): boolean };

/**
 * Gives the connections that a killed process was sent, and had not accepted yet, to the other processes. Without it
 * they stay open in the first process without an answer, because Node waits for the acknowledgement. It reads the
 * messages that Node exchanges about connections; if they change, connections are distributed as Node does it.
 */
export function returnConnections(worker: Worker): void {
  const channel = worker.process as Channel;
  const sent = new Set<number>();
  const send = channel.send.bind(channel) as (...values: unknown[]) => boolean;
  channel.send = (...values: unknown[]): boolean => {
    const { act, seq } = values[0] as NewConnection;
    if (act === 'newconn' && seq !== undefined) sent.add(seq);
    return send(...values);
  };
  channel.on('internalMessage', ({ ack }: Acknowledgement) => {
    if (ack !== undefined) sent.delete(ack);
  });
  // The process has ended, and everything that it had acknowledged is read.
  channel.once('close', () => {
    if (sent.size === 0) return;
    // Node waits for the acknowledgement with this event too, and counts the process until then.
    channel.emit('disconnect');
    for (const seq of sent)
      channel.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false }, undefined);
  });
}
