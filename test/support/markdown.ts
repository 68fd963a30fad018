import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(__dirname, '../..');

/** A heading of a page with the anchors that lead to it, and the numbers of the rules below it. */
export interface MarkdownSection {
  readonly title: string;
  readonly anchors: readonly string[];
  /** Items of numbered lists and first cells of tables, up to the next heading. */
  readonly rules: ReadonlySet<number>;
}

/** A link of a page. */
export interface MarkdownLink {
  readonly page: string;
  readonly target: string;
}

/** The Markdown pages of the project, relative to its folder. */
export function markdownPages(): readonly string[] {
  const below = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
  const top = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  return [...top, ...below.filter((name) => name.endsWith('.md')).map((name) => join('docs', name))].sort();
}

/** The sections of a page, in order. @param page relative to the project's folder */
export function sectionsOf(page: string): readonly MarkdownSection[] {
  const sections: { title: string; anchors: string[]; rules: Set<number> }[] = [];
  let explicit: string[] = [];
  for (const line of proseLines(page)) {
    const id = /^<a id="([^"]+)"><\/a>$/.exec(line)?.[1];
    const title = /^#{1,6} (.+)$/.exec(line)?.[1];
    if (id !== undefined) explicit.push(id);
    if (title !== undefined) {
      sections.push({ title, anchors: [slugOf(title), ...explicit], rules: new Set() });
      explicit = [];
    }
    const rule = /^(?:\| )?(\d+)(?:\.| \|) /.exec(line)?.[1];
    if (rule !== undefined) sections.at(-1)?.rules.add(Number(rule));
  }
  return sections;
}

/** The relative links of a page. */
export function linksOf(page: string): readonly MarkdownLink[] {
  const text = proseLines(page)
    .join('\n')
    .replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) =>
    /^[a-z]+:/.test(target) ? [] : [{ page, target }],
  );
}

/** Why a link, relative to the page it is on, leads nowhere; undefined for one that resolves. */
export function brokenLink({ page, target }: MarkdownLink): string | undefined {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(ROOT, file))) return `${page}: ${target} does not exist`;
  if (anchor === undefined || !file.endsWith('.md')) return undefined;
  const isKnown = sectionsOf(file).some(({ anchors }) => anchors.includes(anchor));
  return isKnown ? undefined : `${page}: ${target} has no such heading`;
}

/** The lines outside of code blocks. */
function proseLines(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return text.replace(/^(```|~~~)[\s\S]*?^\1.*$/gm, '').split('\n');
}

/** The anchor that GitHub derives from a heading. */
function slugOf(title: string): string {
  const plain = title.toLowerCase().replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return plain.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
}
