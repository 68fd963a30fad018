import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { buildRenderer, canRender, chartObjects, type KubernetesObject, objectsOf } from '../support/helm/chart.js';
import { problemsOf } from '../support/helm/kubernetes.js';

const BASE = join(__dirname, '../../deploy/kustomize/base');
const MANIFEST = join(BASE, 'parley.yaml');
const HEADER = '# Made from the Helm chart: UPDATE_GOLDEN=1 npm test -- test/deploy/kustomize\n';
const itWithRenderer = canRender() ? it : it.skip;
const itWithKubectl = spawnSync('kubectl', ['version', '--client']).status === 0 ? it : it.skip;

/** Without what only Helm understands. */
function plain({ apiVersion, kind, metadata, ...rest }: KubernetesObject): object {
  const drop = (entries: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(
      Object.entries(entries).filter(([key]) => !/^helm\.sh\/|^app\.kubernetes\.io\/managed-by$/.test(key)),
    );
  const annotations = drop(metadata.annotations);
  return {
    apiVersion,
    kind,
    metadata: {
      name: metadata.name,
      labels: drop(metadata.labels),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    ...rest,
  };
}

describe('the kustomize base', () => {
  itWithRenderer(
    'has the objects of the chart (skipped without Go and sprig)',
    () => {
      buildRenderer();
      const text =
        HEADER +
        chartObjects()
          .map((object) => stringify(plain(object), { lineWidth: 0 }))
          .join('---\n');
      if (process.env.UPDATE_GOLDEN === '1') writeFileSync(MANIFEST, text);
      expect(readFileSync(MANIFEST, 'utf8')).toBe(text);
    },
    240_000,
  );

  it('has valid objects', () => {
    const objects = objectsOf(readFileSync(MANIFEST, 'utf8'));
    expect(objects.length).toBeGreaterThan(5);
    expect(objects.flatMap(problemsOf)).toEqual([]);
  });

  itWithKubectl('is built by kubectl (skipped without it)', () => {
    const built = objectsOf(execFileSync('kubectl', ['kustomize', BASE], { encoding: 'utf8' }));
    const names = (objects: readonly KubernetesObject[]): string[] =>
      objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
    expect(names(built)).toEqual(names(objectsOf(readFileSync(MANIFEST, 'utf8'))));
  });
});
