import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const DOCUMENT = join(ROOT, 'docs/openapi.json');
/** Generators and compilers, on a busy machine. */
const TIMEOUT_MS = 240_000;

/** A file of an installed package. */
function installed(file: string): string {
  const places = ['test/node_modules', 'node_modules'].map((modules) => join(ROOT, modules, file));
  return places.find((path) => existsSync(path)) ?? file;
}

/** Runs a script of an installed package to its end. Returns what it printed, and how it failed. */
function run(script: string, args: readonly string[], cwd: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [installed(script), ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { status, output: `${stdout}${stderr}` };
}

/** A problem that the linter has found. */
interface Problem {
  readonly ruleId: string;
  readonly severity: string;
  readonly message: string;
  readonly pointer: string;
}

/** Lints in a process of its own: the linter is not made for the sandbox of jest. */
function lint(): readonly Problem[] {
  const script = `
    const { createConfig, lintFromString } = require('@redocly/openapi-core');
    const { readFileSync } = require('node:fs');
    createConfig({ extends: ['recommended'] })
      .then((config) => lintFromString({ source: readFileSync(process.argv[1], 'utf8'), absoluteRef: '/openapi.json', config }))
      .then((problems) => console.log(JSON.stringify(problems.map(({ ruleId, severity, message, location: [{ pointer }] }) =>
        ({ ruleId, severity, message, pointer })))));`;
  const output = execFileSync(process.execPath, ['-e', script, DOCUMENT], {
    cwd: join(ROOT, 'test'),
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
  });
  return JSON.parse(output) as readonly Problem[];
}

describe('docs/openapi.json', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-generated-'));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it(
    'has neither errors nor warnings of the linter',
    () => {
      const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as {
        paths: Record<string, Record<string, { security?: readonly object[] }>>;
      };
      // What everybody may read at any time refuses nothing.
      const isPublic = ({ ruleId, pointer }: Problem): boolean => {
        const [, path = '', method = ''] = /^#\/paths\/([^/]+)\/(\w+)\//.exec(pointer) ?? [];
        const { security = [] } = document.paths[path.replaceAll('~1', '/').replaceAll('~0', '~')]?.[method] ?? {};
        const isOpen = security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0);
        return ruleId === 'operation-4xx-response' && isOpen;
      };
      // The addresses are those of the AI SDK; a chat called "agents" has none. The example of a stream is its text, the
      // schema that of one event.
      const isMeant = ({ ruleId, pointer }: Problem): boolean =>
        (ruleId === 'no-ambiguous-paths' && pointer.startsWith('#/paths/~1ai-sdk~1{chatId}~1')) ||
        (ruleId === 'no-invalid-media-type-examples' && pointer.endsWith('/text~1event-stream/example'));
      expect(lint().filter((problem) => !isPublic(problem) && !isMeant(problem))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  /** Compiles strictly, as a user would with the declarations of browsers and Node. */
  function compile(name: string): ReturnType<typeof run> {
    const options = {
      compilerOptions: {
        strict: true,
        noEmit: true,
        target: 'es2023',
        module: 'esnext',
        moduleResolution: 'bundler',
        lib: ['es2023', 'dom', 'dom.iterable'],
        types: [],
        skipLibCheck: true,
      },
      include: ['.'],
    };
    writeFileSync(join(folder, name, 'tsconfig.json'), JSON.stringify(options));
    return run('typescript/bin/tsc', ['-p', '.'], join(folder, name));
  }

  it(
    'openapi-typescript makes types with which a call of each wire compiles',
    () => {
      mkdirSync(join(folder, 'types'));
      expect(
        run(
          'openapi-typescript/bin/cli.js',
          [DOCUMENT, '--output', 'types/api.d.ts', '--default-non-nullable=false'],
          folder,
        ),
      ).toMatchObject({
        status: 0,
      });
      writeFileSync(join(folder, 'types/calls.ts'), TYPED_CALLS);
      expect(compile('types')).toEqual({ status: 0, output: '' });
    },
    TIMEOUT_MS,
  );

  it(
    '@hey-api/openapi-ts makes a client with which a call of each wire compiles',
    () => {
      const args = [
        '--input',
        DOCUMENT,
        '--output',
        'sdk/client',
        '--client',
        '@hey-api/client-fetch',
        '--no-log-file',
      ];
      expect(run('@hey-api/openapi-ts/bin/run.js', args, folder)).toMatchObject({ status: 0 });
      writeFileSync(join(folder, 'sdk/calls.ts'), SDK_CALLS);
      expect(compile('sdk')).toEqual({ status: 0, output: '' });
    },
    TIMEOUT_MS,
  );
});

const TYPED_CALLS = `
import type { components, paths } from './api.js';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Body<P extends keyof paths, M extends Method> = paths[P][M] extends
  { requestBody: { content: { 'application/json': infer B } } } ? B : never;

const bodies: {
  agentApi: Body<'/process', 'post'>;
  responses: Body<'/v1/responses', 'post'>;
  completions: Body<'/v1/chat/completions', 'post'>;
  aiSdk: Body<'/ai-sdk', 'post'>;
  agUi: Body<'/ag-ui', 'post'>;
  copilotKit: Body<'/copilotkit/agent/{agentId}/run', 'post'>;
  agKit: Body<'/send-message', 'post'>;
  runs: Body<'/api/v1/agent/runs', 'post'>;
} = {
  agentApi: { input: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] },
  responses: { model: 'worker', input: 'Hello' },
  completions: { messages: [{ role: 'user', content: 'Hello' }] },
  aiSdk: { id: 'c', trigger: 'submit-message', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] },
  agUi: { threadId: 't', runId: 'r', messages: [], tools: [], context: [], state: {}, forwardedProps: {} },
  copilotKit: { threadId: 't', runId: 'r', messages: [], tools: [], context: [], state: {}, forwardedProps: {} },
  agKit: { conversationId: 'c', messages: [{ id: 'm', role: 'user', content: 'Hello' }] },
  runs: { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'Hello' }], forwardedProps: { agent_type: 'worker' } },
};
const status: components['schemas']['ResponseObject']['status'] = 'completed';
export { bodies, status };
`;

const SDK_CALLS = `
import * as sdk from './client/index.js';

export async function callAll(): Promise<void> {
  const body = { threadId: 't', runId: 'r', messages: [], tools: [], context: [], state: {}, forwardedProps: {} };
  await sdk.agentApiProcess({ body: { input: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] } });
  await sdk.responsesCreate({ body: { model: 'worker', input: 'Hello' } });
  await sdk.chatCompletionsCreate({ body: { messages: [{ role: 'user', content: 'Hello' }] } });
  await sdk.aiSdkChat({
    body: { id: 'c', trigger: 'submit-message', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] },
  });
  await sdk.agUiRun({ body });
  await sdk.copilotKitRun({ path: { agentId: 'worker' }, body });
  await sdk.agKitSend({ body: { conversationId: 'c', messages: [{ id: 'm', role: 'user', content: 'Hello' }] } });
  await sdk.runsSubmit({
    body: { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'Hello' }], forwardedProps: { agent_type: 'worker' } },
  });
  await sdk.agKitHealthz2({ path: { agentId: 'worker' } });
  const { data } = await sdk.runsReadRead({ path: { id: 'run' } });
  const status: string | undefined = data?.status;
  void status;
}
`;
