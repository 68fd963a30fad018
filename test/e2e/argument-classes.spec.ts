import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IsDate, IsIn, IsInt, IsOptional, IsString, ValidateNested } from 'class-validator';
import { AgentTool, type JsonObject } from '../../src/index.js';
import { callTool, say, scriptedModel, startTestServer, type TestServer } from '../../src/test-kit/index.js';

class Address {
  @IsString()
  city!: string;

  @IsString()
  country = 'FR';
}

class Parcel {
  @IsInt()
  weight = 500;

  @IsOptional()
  @IsIn(['g', 'kg'])
  unit = 'g';

  @ValidateNested()
  to!: Address;

  @IsOptional()
  @IsDate()
  sendAt?: Date;
}

/** What the tool has sent. */
let sent: string[] = [];

class Post {
  @AgentTool({ name: 'send_parcel', description: 'Sends a parcel.', effects: 'unsafe', parameters: Parcel })
  async send(parcel: Parcel): Promise<string> {
    const { weight, unit, to, sendAt } = parcel;
    const isWhole = parcel instanceof Parcel && to instanceof Address;
    sent.push(
      `${weight + 1} ${unit} to ${to.city}, ${to.country}, ${sendAt?.getTime() ?? 'now'}, ${isWhole ? 'whole' : 'plain'}`,
    );
    return 'sent';
  }
}

const TO = { city: 'Lyon' };
const RULES = {
  rules: [
    { tool: 'send_parcel', effect: 'ask', when: { path: '$.weight', op: '>=', value: 500 }, allowEdit: true },
    { tool: 'send_parcel', effect: 'allow' },
  ],
};

describe('a tool with a class of arguments', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-policy-'));
  const policy = join(folder, 'policy.json');
  let server: TestServer;

  beforeAll(() => writeFileSync(policy, JSON.stringify(RULES)));
  afterEach(() => server.close());
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A server whose model calls the tool with these arguments. */
  async function start(args: JsonObject): Promise<ReturnType<typeof scriptedModel>> {
    sent = [];
    const model = scriptedModel([callTool('send_parcel', args), say('Done.')]);
    server = await startTestServer({ providers: [Post], model, settings: { TOOL_POLICY_FILE: policy } });
    return model;
  }

  it('gets an instance with defaults, nested objects and dates; the model sees the defaults', async () => {
    const sendAt = '2026-03-01T12:00:00Z';
    const model = await start({ to: TO, weight: 1, sendAt });
    await server.run('Send it');
    expect(sent).toEqual([`2 g to Lyon, FR, ${Date.parse(sendAt)}, whole`]);
    expect(model.requests[0]?.tools.find(({ name }) => name === 'send_parcel')?.parameters).toMatchObject({
      properties: {
        weight: { type: 'integer', default: 500 },
        unit: { default: 'g' },
        to: { properties: { country: { default: 'FR' } }, required: ['city'] },
        sendAt: { type: 'string', format: 'date-time' },
      },
      required: ['to'],
    });
  });

  it('a rule of the policy about a value holds for the default too', async () => {
    await start({ to: TO });
    const asked = await server.run('Send it');
    expect(asked.approvals).toMatchObject([{ arguments: { to: TO } }]);
    await asked.approve();
    expect(sent).toEqual(['501 g to Lyon, FR, now, whole']);
  });

  it('edited arguments become an instance as well', async () => {
    await start({ to: TO });
    await (await server.run('Send it')).approve({ to: { city: 'Bonn', country: 'DE' }, weight: 700 });
    expect(sent).toEqual(['701 g to Bonn, DE, now, whole']);
  });

  it('a text that is no time is refused before the tool is called', async () => {
    await start({ to: TO, weight: 1, sendAt: 'tomorrow' });
    const run = await server.run('Send it');
    expect(run.toolCalls[0]?.output).toContain('"sendAt" must match format "date-time"');
  });
});
