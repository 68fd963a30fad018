import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '../..');

/**
 * The code of a page by file: the blocks below `<!-- <name>: <file> -->`, those of one file joined in their order.
 *
 * @param page relative to the project's folder
 */
export function codeOf(page: string, name: string): ReadonlyMap<string, string> {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const files = new Map<string, string>();
  for (const [, file = '', code = ''] of text.matchAll(
    new RegExp(`<!-- ${name}: (\\S+) -->\\n\\n\`\`\`(?:ts|js|json|sh)\\n([\\s\\S]*?)\`\`\``, 'g'),
  )) {
    const before = files.get(file);
    files.set(file, before === undefined ? code : `${before}\n${code}`);
  }
  return files;
}

/** Files as if they were in a folder of `src/`: their relative imports lead to the sources. */
export class OverlaidFolder {
  /** Where the files are. */
  readonly path: string;
  private readonly root: string;

  /** @param folder relative to the project's folder; it must not exist there */
  constructor(folder: string, files: ReadonlyMap<string, string>) {
    mkdirSync(join(ROOT, '.cache'), { recursive: true });
    this.root = mkdtempSync(join(ROOT, '.cache/overlay-'));
    this.path = join(this.root, folder);
    mkdirSync(this.path, { recursive: true });
    for (const [name, code] of files) writeFileSync(join(this.path, name), code);
    // All that is beside the folder, and beside the folders that it is in.
    for (let at = folder; dirname(at) !== '.'; at = dirname(at)) this.link(dirname(at), basename(at));
  }

  /** What the compiler says of the files, with the project's options; nothing when they are right. */
  diagnostics(): readonly string[] {
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
      config: { compilerOptions: object };
    };
    const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
    const files = ts.sys.readDirectory(this.path, ['.ts'], undefined, undefined, 1);
    const strict = { ...options, noEmit: true, incremental: false, noUnusedLocals: true, types: ['node'] };
    delete (strict as ts.CompilerOptions).tsBuildInfoFile;
    const program = ts.createProgram(files, strict);
    const found = files.flatMap((file) => {
      const source = program.getSourceFile(file);
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    });
    return found.map(({ file, messageText }) => {
      return `${basename(file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  private link(folder: string, except: string): void {
    for (const path of ts.sys.getDirectories(join(ROOT, folder))) {
      const name = basename(path);
      if (name !== except) symlinkSync(join(ROOT, folder, name), join(this.root, folder, name));
    }
  }
}
