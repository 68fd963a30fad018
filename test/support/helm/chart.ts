import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const ROOT = join(__dirname, '../../..');
const CHART = join(ROOT, 'deploy/helm/parley');
const PROGRAM = join(ROOT, '.cache/helm-template');
/** Where Debian's golang-github-masterminds-sprig-dev puts its sources. */
const GOPATH = '/usr/share/gocode';

/** An object of Kubernetes, as far as specs look into it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** What stands at a path, such as `spec.containers.0.env`, in an object; undefined if there is nothing. */
export function valueAt(object: object, path: string): unknown {
  let value: unknown = object;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/** Whether this machine can render charts: it has Go and sprig. */
export function canRender(): boolean {
  const go = spawnSync('go', ['version']);
  return go.status === 0 && existsSync(join(GOPATH, 'src/github.com/Masterminds/sprig'));
}

/** Builds the renderer (main.go). Specs call it once, with time for a compiler. */
export function buildRenderer(): void {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const env = { ...process.env, GO111MODULE: 'off', GOPATH, GOFLAGS: '', GOCACHE: join(ROOT, '.cache/go') };
  // Another spec may be running it.
  const built = `${PROGRAM}-${process.pid}`;
  execFileSync('go', ['build', '-o', built, join(__dirname, 'main.go')], { env });
  renameSync(built, PROGRAM);
}

/** The texts that the chart of this repository makes of values, by template. @throws when a template fails */
export function renderChart(values: object = {}): Readonly<Record<string, string>> {
  const input = JSON.stringify({ release: 'parley', namespace: 'default', values });
  return JSON.parse(execFileSync(PROGRAM, [CHART], { input, encoding: 'utf8' })) as Record<string, string>;
}

/** The objects that the chart makes of values. */
export function chartObjects(values: object = {}): readonly KubernetesObject[] {
  return Object.entries(renderChart(values))
    .filter(([name]) => name.endsWith('.yaml'))
    .flatMap(([, text]) => objectsOf(text));
}

/** The objects of a YAML text. @throws Error when it is not valid YAML */
export function objectsOf(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0]) throw document.errors[0];
    const value = document.toJS() as KubernetesObject | null;
    return value === null ? [] : [value];
  });
}
