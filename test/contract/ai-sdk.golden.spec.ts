import {
  GOLDEN_CLIENT_OUTPUT,
  GOLDEN_CLIENT_TOOL,
  GOLDEN_DETAILS,
  GOLDEN_QUESTION,
  GOLDEN_SCENARIOS,
  type GoldenRequest,
  type GoldenScenario,
  goldenStreams,
} from '../support/golden.js';

const QUESTION = { id: 'm1', role: 'user', parts: [{ type: 'text', text: GOLDEN_QUESTION }] };
const TOOLS = [{ ...GOLDEN_CLIENT_TOOL, inputSchema: GOLDEN_CLIENT_TOOL.parameters }];
const WITH_TOOLS: ReadonlySet<GoldenScenario> = new Set(['client-tool', 'approval-and-client-tool']);
const AGENTS: Readonly<Partial<Record<GoldenScenario, string>>> = {
  parts: '/agents/golden_parts',
  question: '/agents/golden_question',
};

const MAP = { type: 'tool-show_map', toolCallId: 'call_map', state: 'output-available', output: GOLDEN_CLIENT_OUTPUT };
const WINDOW = { type: 'dynamic-tool', toolName: 'open_window', toolCallId: 'call_w', state: 'approval-responded' };

/** The answer of the page to the part of the first stream: over its own message, or at level 5 over the body. */
function answer(
  level: number,
  given: { readonly parts?: readonly object[]; readonly approved?: boolean; readonly payload?: object },
) {
  return ([first = '']: readonly string[]): GoldenRequest => {
    const { parts = [], approved, payload } = given;
    const id = /"messageId":"([^"]+)"/.exec(first)?.[1] ?? '';
    const asked = /"approvalId":"([^"]+)"/.exec(first)?.[1] ?? /"data-input-request","id":"([^"]+)"/.exec(first)?.[1];
    const isPart = level > 5 && approved !== undefined;
    const decided = isPart ? [{ ...WINDOW, approval: { id: asked, approved } }] : [];
    const answers = asked === undefined || isPart ? [] : [{ interruptId: asked, approved, payload }];
    const messages = [QUESTION, { id, role: 'assistant', parts: [...decided, ...parts] }];
    return { path: `/ai-sdk?sdk=${level}`, body: { id: 's1', messages, answers } };
  };
}

describe.each([5, 6, 7])('at level %d', (level) => {
  goldenStreams(
    {
      name: level === 6 ? 'ai-sdk' : `ai-sdk/level-${level}`,
      wire: 'ai-sdk',
      ask: (scenario) => ({
        path: `/ai-sdk${AGENTS[scenario] ?? ''}?sdk=${level}`,
        body: { id: 's1', messages: [QUESTION], ...(WITH_TOOLS.has(scenario) && { tools: TOOLS }) },
      }),
      then: {
        'client-tool': [answer(level, { parts: [MAP] })],
        approval: [answer(level, { approved: true })],
        denied: [answer(level, { approved: false })],
        'approval-and-client-tool': [answer(level, { parts: [MAP], approved: true })],
        question: [answer(level, { payload: { seat: '12A' } })],
      },
    },
    [...GOLDEN_SCENARIOS, ...GOLDEN_DETAILS],
  );
});
