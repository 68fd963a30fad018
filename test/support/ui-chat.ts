import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A version of the npm package `ai`, and the level that its x.0.0 knows. */
export interface SdkVersion {
  readonly title: string;
  readonly module: string;
  readonly level: 5 | 6 | 7;
  /** The package with the chat of a framework; absent: that of no framework. */
  readonly framework?: string;
}

const fileOf = (alias: string, file: string): string => join(__dirname, `../node_modules/${alias}/dist/${file}`);

/** The first and the newest version of each line (contract ui-message-stream). */
export const SDK_VERSIONS: readonly SdkVersion[] = [
  { title: '5.0.0', module: fileOf('ai5-first', 'index.mjs'), level: 5 },
  { title: '5.0.277', module: fileOf('ai5', 'index.mjs'), level: 5 },
  { title: '6.0.0', module: fileOf('ai6-first', 'index.mjs'), level: 6 },
  { title: '6.0.326', module: fileOf('ai', 'index.mjs'), level: 6 },
  {
    title: '6.0.326 with @ai-sdk/react',
    module: fileOf('ai', 'index.mjs'),
    framework: fileOf('@ai-sdk/react', 'index.mjs'),
    level: 6,
  },
  { title: '7.0.173', module: fileOf('ai7', 'index.js'), level: 7 },
];

/** The Node that version 7 needs. */
const NODE_22 = '22.23.3';

/** A part of a message. */
export interface Part {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A message of a page. */
export interface PageMessage {
  readonly id: string;
  readonly role: string;
  readonly metadata?: unknown;
  readonly parts: readonly Part[];
}

/** What a page shows, and what it has asked for. */
export interface PageState {
  readonly messages: readonly PageMessage[];
  readonly status: string;
  readonly error?: string;
  readonly requests: readonly string[];
  readonly errors: readonly string[];
}

/** How a chat is opened. */
export interface PageOptions {
  readonly id: string;
  readonly api: string;
  readonly messages?: readonly PageMessage[];
  /** True: the page sends its last message alone. */
  readonly sendsLast?: boolean;
  /** What the page's own tools return, by name. */
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly body?: object;
  /** The name of the SDK's helper. */
  readonly automaticallyWhen?: string;
}

/** The stock client of one version of the SDK in a process of its own. */
export class UiChat {
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
    child.once('exit', () => {
      for (const { reject } of this.waiting.splice(0)) reject(new Error(`The client has ended: ${this.complaints}`));
    });
  }

  static async start({ module: path, level, framework }: SdkVersion): Promise<UiChat> {
    const node = level === 7 ? await newerNode() : process.execPath;
    return new UiChat(
      spawn(node, [join(__dirname, 'ui-chat-process.mjs'), path, ...(framework === undefined ? [] : [framework])]),
    );
  }

  /** Does what a page can do with its chat; resolves when the client has finished with it. */
  do(op: string, args: object = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.child.stdin.write(`${JSON.stringify({ op, args })}\n`);
    });
  }

  open(options: PageOptions): Promise<unknown> {
    return this.do('open', options);
  }

  async state(): Promise<PageState> {
    return (await this.do('state')) as PageState;
  }

  close(): void {
    this.child.kill();
  }
}

/** A Node that is new enough; installed from its npm package once, where this one is too old. */
async function newerNode(): Promise<string> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major >= 22) return process.execPath;
  const folder = join(tmpdir(), `parley-node-${NODE_22}`);
  const name = `node-${process.platform}-${process.arch}`;
  const binary = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', `${name}@${NODE_22}`], { cwd: folder });
  return binary;
}
