import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { newerNode } from '../../support/client-process.js';
import { FIXTURES } from '../../support/mcp-fixtures.js';
import { startServer, type TestServer } from '../../support/server.js';

/*
 * The public judges: the conformance suite of MCP, and the command line of its Inspector. Both need Node.js 22.
 */
jest.setTimeout(400_000);

const run = promisify(execFile);

/** The main program of a package, by its `bin`. */
function programOf(name: string, bin: string): string {
  const file = require.resolve(`${name}/package.json`);
  return join(dirname(file), bin);
}

/** What this server does not have, and says so: the checks that fail for it (contract mcp-server, sections 3 to 7). */
const EXPECTED: Readonly<Record<string, string>> = {
  'completion-complete': 'nothing is completed',
  'prompts-get-simple': 'there are no prompts',
  'prompts-get-with-args': 'there are no prompts',
  'prompts-get-embedded-resource': 'there are no prompts',
  'prompts-get-with-image': 'there are no prompts',
  'resources-read-text': 'resources are sessions and runs, not files of the suite',
  'resources-read-binary': 'resources are sessions and runs, not files of the suite',
  'resources-templates-read': 'resources are sessions and runs, not files of the suite',
  'resources-subscribe': 'there are no subscriptions',
  'resources-unsubscribe': 'there are no subscriptions',
  'tools-call-with-logging': 'nothing is logged to clients',
  'tools-call-sampling': 'nothing is sampled from clients',
  'http-custom-header-server-validation': 'schemas declare no headers of their own',
  'input-required-result-basic-elicitation': 'the keys of what is asked are the ids of the questions',
  'input-required-result-basic-sampling': 'nothing is sampled from clients',
  'input-required-result-basic-list-roots': 'no roots are asked for',
  'input-required-result-multiple-input-requests': 'nothing is sampled from clients',
  'input-required-result-non-tool-request': 'there are no prompts',
  'input-required-result-capability-check': 'nothing is sampled from clients',
  'tasks-mrtr-composition': 'a client with tasks answers questions of tasks',
  'tasks-required-task-error': 'no tool needs tasks',
};
/** Checks that fail in scenarios of which the others have to pass. */
const EXPECTED_CHECKS: readonly string[] = [
  // No tool needs a capability of the client.
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  // An agent asks one question after the other.
  'tasks-mrtr-partial-fulfillment',
];
const TASKS = [
  ...['tasks-lifecycle', 'tasks-capability-negotiation', 'tasks-wire-fields', 'tasks-request-state-removal'],
  ...['tasks-mrtr-input', 'tasks-request-headers', 'tasks-dispatch-and-envelope', 'tasks-required-task-error'],
  'tasks-mrtr-composition',
];

describe('the public judges of MCP', () => {
  let server: TestServer;
  let folder: string;
  let node: string;

  beforeAll(async () => {
    node = await newerNode();
    folder = await mkdtemp(join(tmpdir(), 'parley-mcp-'));
    server = await startServer({
      providers: FIXTURES,
      env: { MCP_SERVER_TOOLS: '*', MCP_RESOURCES: 'true', MCP_TASK_AFTER_MS: '100', MCP_RETRY_MS: '500' },
    });
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The failed checks of each scenario. */
  async function judged(name: string, args: readonly string[]): Promise<Readonly<Record<string, readonly string[]>>> {
    const output = join(folder, name);
    const suite = programOf('@modelcontextprotocol/conformance', 'dist/index.js');
    const url = `${server.url.replace('127.0.0.1', 'localhost')}/mcp`;
    // It ends with an error if anything fails.
    await run(node, [suite, 'server', '--url', url, ...args, '-o', output]).catch(() => undefined);
    const results: Record<string, readonly string[]> = {};
    for (const one of await readdir(output)) {
      const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T/.exec(one)?.[1] ?? one;
      const text = await readFile(join(output, one, 'checks.json'), 'utf8');
      const checks = JSON.parse(text) as readonly { readonly id: string; readonly status: string }[];
      results[scenario] = checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id);
    }
    return results;
  }

  function expectNoOthers(results: Readonly<Record<string, readonly string[]>>, least: number): void {
    expect(Object.keys(results).length).toBeGreaterThanOrEqual(least);
    const failed = Object.entries(results).flatMap(([scenario, checks]) =>
      checks.filter((id) => !(scenario in EXPECTED) && !EXPECTED_CHECKS.includes(id)).map((id) => `${scenario}: ${id}`),
    );
    expect(failed).toEqual([]);
    // What is not expected any more is to be taken off the list.
    const passed = Object.entries(results).filter(([scenario, checks]) => scenario in EXPECTED && checks.length === 0);
    expect(passed.map(([scenario]) => scenario)).toEqual([]);
  }

  it('the suite finds nothing in the revisions with sessions that the contract does not explain', async () => {
    expectNoOthers(await judged('legacy', ['--suite', 'all', '--spec-version', '2025-11-25']), 30);
  });

  it('the suite finds nothing in the modern revision that the contract does not explain', async () => {
    expectNoOthers(await judged('modern', ['--suite', 'all', '--spec-version', '2026-07-28']), 35);
  });

  it.each(TASKS)('the suite finds nothing in the scenario %s that the contract does not explain', async (scenario) => {
    expectNoOthers(await judged(scenario, ['--scenario', scenario]), 1);
  });

  /** What the command line of the Inspector prints, and how it ends. */
  async function inspected(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
    const program = programOf('@modelcontextprotocol/inspector', 'clients/launcher/build/index.js');
    const all = [program, '--cli', `${server.url}/mcp`, '--transport', 'http', ...args];
    try {
      return { code: 0, text: (await run(node, all)).stdout };
    } catch (error) {
      const { code, stdout } = error as { readonly code: number; readonly stdout: string };
      return { code, text: stdout };
    }
  }

  it('the command line of the Inspector lists tools and calls them', async () => {
    expect((await inspected('--method', 'tools/list')).text).toContain('"ask_worker"');
    const call = ['--method', 'tools/call', '--tool-name'];
    const asked = await inspected(...call, 'ask_worker', '--tool-arg', 'message=Who are you?');
    expect(asked.text).toContain('I am Friday');
    expect((await inspected(...call, 'test_error_handling')).code).toBe(5);
  });
});
