import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const TEMPLATE = join(__dirname, '../../templates/project');
const dockerfile = readFileSync(join(TEMPLATE, 'Dockerfile'), 'utf8');
const [build = '', image = ''] = dockerfile.split(/^(?=FROM )/m);

/** What the build stage of a project holds before the files are removed that the server does not need. */
const NEEDED = ['dist/src/main.js', 'documents/travel.md', 'node_modules/parley-server/package.json', 'package.json'];
const UNNEEDED = [
  '.npmrc',
  '.env',
  '.env.production',
  '.env.example',
  'src/main.ts',
  'test/orders.test.ts',
  'dist/test/orders.test.js',
  'my-agent-0.1.0.tgz',
  'vendor/parley-server-0.1.0.tgz',
];

describe('the image of a project', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'parley-project-image-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('holds neither secrets nor sources, tests and tarballs', () => {
    for (const file of [...NEEDED, ...UNNEEDED]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    const remove = /^RUN (rm .*)$/m.exec(build)?.[1] ?? '';
    execFileSync('sh', ['-c', remove], { cwd: folder });
    expect(UNNEEDED.filter((file) => existsSync(join(folder, file)))).toEqual([]);
    expect(NEEDED.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  });

  it('keeps .npmrc until the packages are installed, which may need it', () => {
    expect(build.indexOf('npm prune')).toBeGreaterThan(0);
    expect(build.indexOf('RUN rm')).toBeGreaterThan(build.indexOf('npm prune'));
  });

  it('is built without the files .env*, of which only the example is no secret', () => {
    const ignored = readFileSync(join(TEMPLATE, '_dockerignore'), 'utf8').trim().split('\n');
    expect(ignored.slice(ignored.indexOf('.env*')).slice(0, 2)).toEqual(['.env*', '!.env.example']);
    expect(ignored).not.toContain('.npmrc');
    expect(readdirSync(TEMPLATE)).toContain('_env.example');
  });

  it('lets its user write in the working folder and in the volume', () => {
    expect(image).toMatch(/^RUN mkdir \/data && chown node:node \/data \/app$/m);
    expect(image).toMatch(/^COPY --from=build --chown=node:node \/app \.\/$/m);
    expect(image.indexOf('USER node')).toBeGreaterThan(image.indexOf('COPY'));
  });
});
