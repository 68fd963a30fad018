import { join } from 'node:path';
import { ClientProcess } from './client-process.js';

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
  readonly headers?: Readonly<Record<string, string>>;
  /** The name of the SDK's helper. */
  readonly automaticallyWhen?: string;
}

/** The stock client of one version of the SDK in a process of its own. */
export class UiChat {
  private constructor(private readonly client: ClientProcess) {}

  static async start({ module: path, level, framework }: SdkVersion): Promise<UiChat> {
    const modules = [path, ...(framework === undefined ? [] : [framework])];
    return new UiChat(await ClientProcess.start('ui-chat-process.mjs', modules, { needsNode22: level === 7 }));
  }

  /** Does what a page can do with its chat; resolves when the client has finished with it. */
  do(op: string, args: object = {}): Promise<unknown> {
    return this.client.do(op, args);
  }

  open(options: PageOptions): Promise<unknown> {
    return this.do('open', options);
  }

  async state(): Promise<PageState> {
    return (await this.do('state')) as PageState;
  }

  close(): void {
    this.client.close();
  }
}
