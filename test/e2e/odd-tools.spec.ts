import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import {
  begin,
  end,
  rawUpstream,
  type RawUpstream,
  type Script,
} from '../../src/agent/adapters/testing/raw-upstream.js';
import { schemaProblems } from '../../src/agent/adapters/testing/schema-judges.js';
import type { JsonObject } from '../../src/common/index.js';
import { AgentTool, type ToolContext } from '../../src/agent/tools/index.js';
import { expectWhole, type FrameStream, ProcessClient } from '../support/process-client.js';
import { startServer, type TestServer } from '../support/server.js';

/** What the model server sees of a function. */
interface ModelFunction {
  readonly name: string;
  readonly arguments: string;
  readonly parameters: Record<string, unknown>;
}

interface ModelRequest {
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly tool_calls?: readonly { readonly function: ModelFunction }[];
  }[];
  readonly tools: readonly { readonly function: ModelFunction }[];
  readonly tool_choice?: { readonly function: ModelFunction };
}

const VALID = /^[a-zA-Z0-9_-]{1,64}$/;
const BIG = '2512292042121000001';

const seen: { args: unknown; text: string }[] = [];

@Injectable()
class Records {
  @AgentTool({
    description: 'Removes a record',
    effects: 'unsafe',
    parameters: { type: 'object', properties: { id: { type: 'integer' }, note: { type: 'string' } } },
  })
  remove_record(args: { id: bigint }, { argumentsText }: ToolContext): Promise<object> {
    seen.push({ args, text: argumentsText });
    return Promise.resolve({ removed: args.id });
  }

  @AgentTool({ description: 'Looks around', effects: 'none', parameters: {} })
  look(args: object): Promise<object> {
    return Promise.resolve(args);
  }
}

/** An answer that calls a tool. */
function calling(name: () => string, text: string): Script {
  return (response) => {
    begin(response, { tool_calls: [{ index: 0, id: 'call_1', function: { name: name(), arguments: text } }] });
    end(response, 'tool_calls');
  };
}

const answering: Script = (response) => {
  begin(response, { content: 'Done.' });
  end(response);
};

describe('tools that model servers would refuse', () => {
  let upstream: RawUpstream;
  let server: TestServer;
  let client: ProcessClient;

  async function start(env: Record<string, string>, ...scripts: Script[]): Promise<void> {
    upstream = await rawUpstream(...scripts);
    server = await startServer({
      env: { LLM_BASE_URL: upstream.url, LLM_API_KEY: 'k', LLM_MODEL: 'm', ...env },
      providers: [Records],
    });
    client = new ProcessClient(server.url);
    seen.length = 0;
  }
  afterEach(async () => {
    await server.close();
    await upstream.close();
  });

  async function wholeAnswer(body: object): Promise<FrameStream> {
    const stream = await client.open(body);
    await stream.all();
    return stream;
  }
  const request = (index: number): ModelRequest => upstream.seen[index]?.body as unknown as ModelRequest;
  const functions = (index: number): readonly ModelFunction[] => request(index).tools.map((tool) => tool.function);
  const called = (index: number): readonly string[] =>
    request(index).messages.flatMap(({ tool_calls = [] }) =>
      tool_calls.map((call) => `${call.function.name} ${call.function.arguments}`),
    );

  it.each([
    ['files.read', 'files_read'],
    ['x'.repeat(80), expect.stringMatching(/^x{55}_[0-9a-f]{8}$/)],
  ])('a client tool named %s has this name for the client and another for the model', async (name, other) => {
    const schemas = [{ type: 'object' }, { type: 'object', additionalProperties: false }, {}];
    const tools = schemas.map((parameters, at) => ({
      type: 'function',
      name: at === 0 ? name : `tool_${at}`,
      parameters,
    }));
    await start(
      {},
      calling(() => functions(0).find((one) => one.name.startsWith(name[0] ?? ''))?.name ?? '', '{"a":1}'),
      answering,
    );
    const input = [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }];
    const session = { session_id: 's1', user_id: 'alice' };
    const { frames } = await wholeAnswer({ input, tools, ...session });
    const call = expectWhole(frames).output?.find(({ type }) => type === 'function_call');
    expect(call?.content?.[0]?.data).toMatchObject({ name, arguments: '{"a":1}' });
    expect(functions(0).map((one) => one.name)).toEqual(expect.arrayContaining([other, 'tool_1', 'tool_2']));
    for (const one of functions(0)) {
      expect(one.name).toMatch(VALID);
      expect(schemaProblems('common', one.parameters)).toEqual([]);
    }
    const output = {
      type: 'function_call_output',
      role: 'tool',
      content: [{ type: 'data', data: { call_id: 'call_1', output: 'ok' } }],
    };
    expectWhole((await wholeAnswer({ input: [output], tools, ...session })).frames);
    expect(called(1)).toEqual([`${functions(1).find((one) => one.name.startsWith(name[0] ?? ''))?.name} {"a":1}`]);
    expect(JSON.stringify(request(1))).not.toContain(`"${name}"`);
  });

  it('a tool choice names the tool as the model server knows it', async () => {
    const tool = { type: 'function', name: 'files.read', parameters: { type: 'object', properties: {} } };
    await start(
      {},
      calling(() => request(0).tool_choice?.function.name ?? '', '{}'),
    );
    const response = await fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'worker',
        input: 'Go',
        tools: [tool],
        tool_choice: { type: 'function', name: 'files.read' },
      }),
    });
    expect(await response.json()).toMatchObject({ output: [{ type: 'function_call', name: 'files.read' }] });
    expect(request(0).tool_choice?.function.name).toBe('files_read');
  });

  it.each(['null', '', '"null"', '""'])('the arguments %j of a tool without parameters are none', async (text) => {
    await start(
      {},
      calling(() => 'look', text),
      answering,
    );
    const { frames } = await client.ask('look');
    const output = expectWhole(frames).output?.find(({ type }) => type === 'plugin_call_output');
    expect(output?.content?.[0]?.data).toMatchObject({ output: '{}' });
    expect(called(1)).toEqual(['look {}']);
  });

  describe('an integer beyond 2^53 in a call that needs approval', () => {
    const text = `{"id": ${BIG}, "note": "old"}`;

    async function asked(env: Record<string, string> = {}): Promise<{ id: string; shown: unknown }> {
      await start(
        env,
        calling(() => 'remove_record', text),
        answering,
      );
      const last = expectWhole((await client.ask('remove')).frames);
      const approval = last.output?.find(({ type }) => type === 'mcp_approval_request')?.content?.[0]?.data;
      return { id: String(approval?.['id']), shown: approval?.['arguments'] };
    }
    /** @param decision JSON text */
    async function decide(id: string, decision: string): Promise<Response> {
      const headers = { 'content-type': 'application/json' };
      return fetch(`${server.url}/approvals/${id}`, { method: 'POST', headers, body: decision });
    }
    async function expectEnd(response: Response): Promise<void> {
      const { resumedByRunId } = (await response.json()) as { resumedByRunId: string };
      expect(await client.ended(resumedByRunId)).toMatchObject({ status: 'completed' });
    }

    it('what is shown is executed, stored and sent back', async () => {
      const { id, shown } = await asked();
      expect(shown).toBe(text);
      const { body } = await client.json<JsonObject>('GET', `/approvals/${id}`);
      expect(body['arguments']).toEqual({ id: BIG, note: 'old' });
      await expectEnd(await decide(id, '{"approve": true}'));
      expect(seen).toEqual([{ args: { id: BigInt(BIG), note: 'old' }, text }]);
      expect(called(1)).toEqual([`remove_record ${text}`]);
      expect(request(1).messages.find(({ role }) => role === 'tool')?.content).toBe(`{"removed":${BIG}}`);
    });

    describe('and may be edited', () => {
      const folder = mkdtempSync(join(tmpdir(), 'parley-policy-'));
      const file = join(folder, 'policy.json');
      writeFileSync(file, '{"rules": [{"tool": "remove_record", "effect": "ask", "allowEdit": true}]}');
      afterAll(() => rmSync(folder, { recursive: true }));

      it.each([
        ['its digits', `"${BIG}"`],
        ['the nearest number', '2512292042121000000'],
      ])('stays exact if an edit gives it back as %s', async (_what, given) => {
        const { id } = await asked({ TOOL_POLICY_FILE: file });
        await expectEnd(await decide(id, `{"approve": true, "arguments": {"id": ${given}, "note": "new"}}`));
        expect(seen).toEqual([{ args: { id: BigInt(BIG), note: 'new' }, text: `{"id":${BIG},"note":"new"}` }]);
      });

      it('is refused if an edit changes it to another one that need not be exact', async () => {
        const { id } = await asked({ TOOL_POLICY_FILE: file });
        const refused = await decide(id, '{"approve": true, "arguments": {"id": 9007199254740994}}');
        expect(refused.status).toBe(400);
        expect(await refused.text()).toContain('beyond 2^53');
        expect(seen).toEqual([]);
      });
    });
  });
});
