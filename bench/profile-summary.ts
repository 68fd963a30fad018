import { readFileSync } from 'node:fs';

/** A processor profile as V8 writes it (Chrome DevTools protocol, `Profiler.Profile`). */
interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

/**
 * Where a function belongs, by the address of its file; the first match counts. Functions without a file,
 * such as those of V8 and of Node's C++, belong where their callers do.
 */
const AREAS: readonly (readonly [area: string, pattern: RegExp])[] = [
  ['model client', /src\/agent\/(adapters|ports)\/|@ai-sdk|node_modules\/(zod|undici|eventsource-parser)\//],
  ['model client', /node:internal\/deps\/undici|node:internal\/webstreams|node:internal\/encoding/],
  ['loop and builder', /src\/(agent|tools|samples|calendar)\/|src\/events\/(builder|response-fold|grammar|message)/],
  [
    'encoder',
    /encoder|src\/events\/|src\/protocol\/(agent-api|responses|ai-sdk|ag-ui|ag-ui-events|runs|ag-kit|copilotkit)\//,
  ],
  ['log and commit', /src\/(run|database|session|interrupt|attachment|user-settings)\//],
  ['log and commit', /node_modules\/(better-sqlite3|typeorm|pg|pg-[a-z]+|postgres-[a-z]+)\//],
  ['socket', /src\/protocol\/(http|wire)\/|node:(net|_http|http)|node:internal\/(stream|http)|node:stream|_stream_/],
  ['socket', /node:(buffer|internal\/buffer|internal\/timers|timers|internal\/process\/task_queues)/],
  ['Nest and Fastify', /node_modules\/|src\/(telemetry|common|config|app|boot|health)/],
];

const OTHER = 'other';
const WIDTH = 16;

/**
 * A summary of a profile: the share of each area in the time that the process was busy, and the functions with
 * the most time of their own.
 *
 * @throws Error if the file is not a profile
 */
export function profileSummary(file: string, functions = 25): string {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const areas = areasOf(profile, nodes);
  const byArea = new Map<string, number>();
  const byFunction = new Map<string, { area: string; us: number }>();
  let busy = 0;
  for (const [id, us] of selfTimes(profile)) {
    const node = nodes.get(id);
    if (node === undefined || node.callFrame.functionName === '(idle)') continue;
    const area = areas.get(id) ?? OTHER;
    busy += us;
    byArea.set(area, (byArea.get(area) ?? 0) + us);
    const name = nameOf(node);
    byFunction.set(`${area} ${name}`, { area, us: (byFunction.get(`${area} ${name}`)?.us ?? 0) + us });
  }
  const share = (us: number): string => `${((100 * us) / busy).toFixed(1).padStart(5)} %`;
  const sorted = [...byArea].sort(([, a], [, b]) => b - a).map(([area, us]) => `${share(us)}  ${area}`);
  const top = [...byFunction]
    .sort(([, a], [, b]) => b.us - a.us)
    .slice(0, functions)
    .map(([key, { area, us }]) => `${share(us)}  ${area.padEnd(WIDTH)}  ${key.slice(area.length + 1)}`);
  return [`busy for ${(busy / 1000).toFixed(0)} ms`, ...sorted, '', ...top].join('\n');
}

function selfTimes({ samples, timeDeltas }: CpuProfile): Map<number, number> {
  const times = new Map<number, number>();
  // A delta is the time since the sample before: it belongs to that one.
  for (let index = 0; index + 1 < samples.length; index += 1) {
    const id = samples[index] ?? 0;
    times.set(id, (times.get(id) ?? 0) + (timeDeltas[index + 1] ?? 0));
  }
  return times;
}

/** The area of every node. A parent stands before its children. */
function areasOf({ nodes }: CpuProfile, byId: ReadonlyMap<number, ProfileNode>): Map<number, string> {
  const areas = new Map<number, string>();
  const visit = (node: ProfileNode, inherited: string): void => {
    const area = ownArea(node) ?? inherited;
    areas.set(node.id, area);
    for (const child of node.children ?? []) {
      const next = byId.get(child);
      if (next) visit(next, area);
    }
  };
  const [root] = nodes;
  if (root) visit(root, OTHER);
  return areas;
}

function ownArea({ callFrame: { functionName, url } }: ProfileNode): string | undefined {
  if (functionName === '(garbage collector)') return 'collection';
  if (functionName === '(program)') return 'V8 and kernel';
  if (url === '') return undefined;
  return AREAS.find(([, pattern]) => pattern.test(url))?.[0];
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const name = functionName || '(anonymous)';
  if (url === '') return name;
  const path = url.includes('/node_modules/') ? url.replace(/^.*\/node_modules\//, '') : url.replace(/^.*\/dist\//, '');
  return `${name}  ${path}:${lineNumber + 1}`;
}
