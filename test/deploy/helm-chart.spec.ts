import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import {
  buildRenderer,
  canRender,
  chartObjects,
  type KubernetesObject,
  renderChart,
  valueAt,
} from '../support/helm/chart.js';
import { problemsOf } from '../support/helm/kubernetes.js';

const CHART = join(__dirname, '../../deploy/helm/parley');
const describeChart = canRender() ? describe : describe.skip;

/** Where objects with pods describe them. */
const POD = 'spec.template.spec';

/** Everything on. */
const FULL = {
  topology: 'split',
  image: { repository: 'registry.example.org/parley', digest: `sha256:${'a'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  config: { PUBLIC_BASE_URL: 'https://agents.example.org', RUN_CONCURRENCY: 128 },
  existingSecrets: ['parley', 'parley-model'],
  files: [
    { name: 'limits', configMap: 'parley-limits', mountPath: '/etc/parley' },
    { name: 'mcp', secret: 'parley-mcp', mountPath: '/etc/mcp' },
  ],
  servers: {
    web: { autoscaling: { enabled: true, metrics: [] } },
    worker: { replicas: 3 },
  },
  migration: { databaseUrl: { secret: 'parley-migration', key: 'DATABASE_URL' } },
  ingress: { enabled: true, className: 'nginx', host: 'agents.example.org', tlsSecret: 'agents-tls' },
  networkPolicy: {
    clients: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
    egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports: [{ protocol: 'TCP', port: 5432 }] }],
  },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'agents', operator: 'Exists' }],
  podAnnotations: { 'example.org/team': 'agents' },
  priorityClassName: 'high',
};

describe('the values of the chart', () => {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as object;
  const validate = new Ajv({ strict: false }).compile(schema);
  const defaults = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'), { merge: true }) as Record<string, object>;

  it('the defaults and a full configuration fit the schema', () => {
    expect([validate(defaults), validate.errors]).toEqual([true, null]);
    expect([validate(FULL), validate.errors]).toEqual([true, null]);
  });

  it.each([
    ['an unknown value', { replicas: 3 }],
    ['an unknown topology', { topology: 'both' }],
    ['a secret among the settings', { config: { DATABASE_URL: 'postgres://user:password@db/parley' } }],
    ['a setting that the chart makes', { config: { ROLE: 'web' } }],
    ['a file without a source', { files: [{ name: 'limits', mountPath: '/etc/parley' }] }],
    ['a digest that is none', { image: { digest: 'latest' } }],
  ])('%s does not', (_title, values) => {
    expect(validate(values)).toBe(false);
  });
});

describeChart('the Helm chart (skipped without Go and sprig)', () => {
  // The first build of a machine compiles the standard library.
  beforeAll(buildRenderer, 240_000);

  const find = (objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject => {
    const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
    if (!found)
      throw new Error(`no ${kind} ${name} in ${objects.map((one) => `${one.kind} ${one.metadata.name}`).join()}`);
    return found;
  };

  it.each([
    ['the defaults', {}],
    ['a full configuration', FULL],
    [
      'nothing that is optional',
      {
        existingSecrets: [],
        migration: { enabled: false },
        metrics: { enabled: false },
        networkPolicy: { enabled: false },
        serviceAccount: { create: false },
        spread: [],
      },
    ],
  ])('%s render valid objects', (_title, values) => {
    const objects = chartObjects(values);
    expect(objects.flatMap(problemsOf)).toEqual([]);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('the topology decides which servers there are, and the service leads to those that accept requests', () => {
    const kinds = (values: object): string[] =>
      chartObjects(values)
        .filter(({ kind }) => kind === 'Deployment')
        .map(({ metadata }) => metadata.name);
    expect(kinds({})).toEqual(['parley-all']);
    const objects = chartObjects(FULL);
    expect(kinds(FULL)).toEqual(['parley-web', 'parley-worker']);
    expect(valueAt(find(objects, 'Service', 'parley'), 'spec.selector')).toMatchObject({
      'app.kubernetes.io/component': 'web',
    });
    for (const role of ['web', 'worker']) {
      const server = find(objects, 'Deployment', `parley-${role}`);
      expect(valueAt(server, `${POD}.containers.0.env`)).toEqual([{ name: 'ROLE', value: role }]);
    }
  });

  it('servers run without rights, with a read-only root, and never on the network of the host', () => {
    const withPods = chartObjects(FULL).filter((object) => valueAt(object, POD) !== undefined);
    expect(withPods.map(({ kind }) => kind).sort()).toEqual(['Deployment', 'Deployment', 'Job']);
    for (const object of withPods) {
      expect(valueAt(object, POD)).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(valueAt(object, `${POD}.hostNetwork`)).toBeUndefined();
      expect(valueAt(object, `${POD}.containers.0.securityContext`)).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const mounts = valueAt(object, `${POD}.containers.0.volumeMounts`);
      const writable = ['/data', '/tmp'].map((mountPath) => expect.objectContaining({ mountPath }) as object);
      expect(mounts).toEqual(expect.arrayContaining(writable));
    }
  });

  it('the grace period holds the pause before the signal, both drain times and the close', () => {
    const [server] = chartObjects({ drain: { preStopSeconds: 5, runMs: 1500, streamMs: 2000 } }).filter(
      ({ kind }) => kind === 'Deployment',
    );
    expect(valueAt(server ?? {}, `${POD}.terminationGracePeriodSeconds`)).toBe(5 + 4 + 30);
    const settings = find(chartObjects({ drain: { runMs: 1500 } }), 'ConfigMap', 'parley');
    expect(valueAt(settings, 'data')).toMatchObject({ DRAIN_RUN_MS: '1500', DRAIN_STREAM_MS: '120000' });
  });

  it('the migration runs before the release, with what exists then, and the servers only check', () => {
    const objects = chartObjects(FULL);
    const job = find(objects, 'Job', 'parley-migrate');
    expect(job.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
    expect(valueAt(job, `${POD}.serviceAccountName`)).toBeUndefined();
    expect(valueAt(job, `${POD}.containers.0.command`)).toEqual(['node', 'scripts/migration.mjs', 'run']);
    expect(JSON.stringify(valueAt(job, `${POD}.containers.0.envFrom`))).not.toContain('configMapRef');
    expect(valueAt(job, `${POD}.containers.0.env`)).toContainEqual({
      name: 'DATABASE_URL',
      valueFrom: { secretKeyRef: { name: 'parley-migration', key: 'DATABASE_URL' } },
    });
    expect(valueAt(find(objects, 'ConfigMap', 'parley'), 'data.MIGRATE')).toBe('check');
    const without = chartObjects({ migration: { enabled: false } });
    expect(without.some(({ kind }) => kind === 'Job')).toBe(false);
    expect(valueAt(find(without, 'ConfigMap', 'parley'), 'data.MIGRATE')).toBe('auto');
  });

  it('an autoscaled deployment has no number of replicas and loses one pod at a time', () => {
    const objects = chartObjects(FULL);
    expect(valueAt(find(objects, 'Deployment', 'parley-web'), 'spec.replicas')).toBeUndefined();
    expect(valueAt(find(objects, 'Deployment', 'parley-worker'), 'spec.replicas')).toBe(3);
    const scaler = find(objects, 'HorizontalPodAutoscaler', 'parley-web');
    expect(valueAt(scaler, 'spec.scaleTargetRef.name')).toBe('parley-web');
    expect(valueAt(scaler, 'spec.behavior.scaleDown.policies')).toEqual([
      { type: 'Pods', value: 1, periodSeconds: 120 },
    ]);
  });

  it('a change of the settings replaces the pods', () => {
    const checksum = (config: object): unknown =>
      valueAt(find(chartObjects({ config }), 'Deployment', 'parley-all'), 'spec.template.metadata.annotations');
    expect(checksum({ LOG_LEVEL: 'warn' })).not.toEqual(checksum({ LOG_LEVEL: 'info' }));
    expect(checksum({ LOG_LEVEL: 'info' })).toEqual(checksum({ LOG_LEVEL: 'info' }));
  });

  it('the notes say how to make the first key', () => {
    expect(renderChart()['NOTES.txt']).toContain('exec deploy/parley-all -- node scripts/manage.mjs key create');
  });
});
