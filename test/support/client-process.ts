import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { OTHER_NODES, otherNode } from '../../scripts/lib/other-nodes.mjs';

/** A stock client in a process of its own, driven over stdin and stdout by lines of JSON: what to do, and its outcome. */
export class ClientProcess {
  private readonly waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];
  private complaints = '';

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { value, error } = JSON.parse(line) as { value?: unknown; error?: string };
      const next = this.waiting.shift();
      if (error === undefined) next?.resolve(value);
      else next?.reject(new Error(error));
    });
    child.stderr.on('data', (text: Buffer) => (this.complaints += text.toString()));
    // What is asked of a client that has ended is refused at once, too.
    child.stdin.on('error', () => undefined);
    child.once('exit', () => {
      for (const { reject } of this.waiting.splice(0)) reject(this.ended());
    });
  }

  /**
   * @param script in this folder
   * @param args what it is given
   * @param options.needsNode22 whether its packages do; false: it runs with the Node of the tests
   */
  static async start(
    script: string,
    args: readonly string[],
    { needsNode22 }: { readonly needsNode22: boolean },
  ): Promise<ClientProcess> {
    const node = needsNode22 ? await newerNode() : process.execPath;
    return new ClientProcess(spawn(node, [join(__dirname, script), ...args]));
  }

  /** Does what the script calls `op`; resolves when the client has finished with it. */
  do(op: string, args: object = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.child.exitCode !== null) reject(this.ended());
      this.waiting.push({ resolve, reject });
      this.child.stdin.write(`${JSON.stringify({ op, args })}\n`);
    });
  }

  close(): void {
    this.child.kill();
  }

  private ended(): Error {
    return new Error(`The client has ended: ${this.complaints}`);
  }
}

/** A Node that is new enough: downloaded where this one is too old. */
export async function newerNode(): Promise<string> {
  const isNewEnough = Number.parseInt(process.versions.node, 10) >= 22;
  return isNewEnough ? process.execPath : otherNode(OTHER_NODES[0]);
}
