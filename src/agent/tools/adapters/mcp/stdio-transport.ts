import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { StringDecoder } from 'node:string_decoder';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { readableMessage, writtenMessage } from './exact-wire.js';

/** How long a process may take to end by itself, and then after SIGTERM, in milliseconds. */
const END_MS = 2000;

/** The longest message of a server, in characters. */
const MESSAGE_LIMIT = 10 * 1024 * 1024;

/** The program to start. */
export interface StdioProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Besides PATH, HOME and the like. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/**
 * A server as a process of this one, with a message in each line of its input and output. Unlike the transport of the
 * protocol's library, it keeps the texts of messages (see `exact-wire`).
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private child: ChildProcessWithoutNullStreams | undefined;
  private rest = '';
  private readonly decoder = new StringDecoder('utf8');

  /** @param onOutput receives what the process writes to its standard error */
  constructor(
    private readonly program: StdioProgram,
    private readonly onOutput: (chunk: Buffer) => void,
  ) {}

  /** Starts the process. @throws if that fails */
  async start(): Promise<void> {
    const { command, args, env, cwd } = this.program;
    const child = spawn(command, args, { env: { ...getDefaultEnvironment(), ...env }, cwd, stdio: 'pipe' });
    this.child = child;
    child.on('close', () => {
      this.child = undefined;
      this.onclose?.();
    });
    const report = (error: Error): void => this.onerror?.(error);
    for (const emitter of [child, child.stdin, child.stdout, child.stderr]) emitter.on('error', report);
    child.stdout.on('data', (chunk: Buffer) => this.read(chunk));
    child.stderr.on('data', this.onOutput);
    await once(child, 'spawn');
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { child } = this;
    if (!child) throw new Error('Not connected');
    if (child.stdin.write(`${writtenMessage(JSON.stringify(message))}\n`)) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([once(child.stdin, 'drain', { signal }), once(child, 'close', { signal })]).finally(() =>
      waiting.abort(),
    );
  }

  /** Ends the process: its input is closed, and what does not end then is stopped. */
  async close(): Promise<void> {
    const { child } = this;
    if (!child) return;
    this.child = undefined;
    const closed = once(child, 'close').catch(() => undefined);
    child.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await isDone(closed, END_MS)) return;
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    }
  }

  private read(chunk: Buffer): void {
    const lines = (this.rest + this.decoder.write(chunk)).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.readLine(line);
    if (this.rest.length <= MESSAGE_LIMIT) return;
    this.rest = '';
    this.onerror?.(new Error(`A message of the server is longer than ${MESSAGE_LIMIT} characters`));
    void this.close();
  }

  private readLine(line: string): void {
    try {
      this.onmessage?.(JSONRPCMessageSchema.parse(JSON.parse(readableMessage(line))));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

async function isDone(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), milliseconds).unref()));
  const isDone = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}
