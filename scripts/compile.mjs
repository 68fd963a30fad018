// Compiles the server into dist/ as `nest build` does: tsconfig.build.json with the compiler plugins of nest-cli.json.
// The command of Nest itself would bring 130 MB of packages to a first start; a test compares the two.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
process.exitCode = compile();

/** @returns {number} 0, or 1 if something could not be compiled; the errors are printed */
function compile() {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8'));
  const config = ts.getParsedCommandLineOfConfigFile(join(root, compilerOptions.tsConfigPath), undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: report,
  });
  if (config === undefined) return 1;
  const builder = ts.createIncrementalProgram({ rootNames: config.fileNames, options: config.options });
  const program = builder.getProgram();
  const before = plugins(compilerOptions.plugins, program);
  const { diagnostics } = builder.emit(undefined, undefined, undefined, undefined, { before });
  const problems = ts.sortAndDeduplicateDiagnostics([
    ...config.errors,
    ...ts.getPreEmitDiagnostics(program),
    ...diagnostics,
  ]);
  problems.forEach(report);
  return problems.length === 0 ? 0 : 1;
}

/**
 * @param {readonly { name: string, options: object }[]} listed as nest-cli.json names them
 * @param {ts.Program} program
 * @returns {ts.TransformerFactory<ts.SourceFile>[]}
 */
function plugins(listed, program) {
  const load = createRequire(join(root, 'package.json'));
  return listed.map(({ name, options }) => load(`${name}/plugin`).before(options, program));
}

/** @param {ts.Diagnostic} problem */
function report(problem) {
  const host = {
    getCurrentDirectory: () => root,
    getCanonicalFileName: (/** @type {string} */ name) => name,
    getNewLine: () => '\n',
  };
  process.stderr.write(ts.formatDiagnostic(problem, host));
}
