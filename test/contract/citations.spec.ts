import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokenLink, linksOf, markdownPages, type MarkdownSection, sectionsOf } from '../support/markdown.js';

const ROOT = join(__dirname, '../..');
const CONTRACTS = readdirSync(join(ROOT, 'docs/contracts')).map((name) => name.replace(/\.md$/, ''));

const SECTION = String.raw`(?:\d+(?:\.\d+)?|[A-F]\d{0,2}|[a-d](?:\.\d)?)`;
const SECTIONS = String.raw`section ${SECTION}|sections ${SECTION}(?:(?:, | and |, and | to )${SECTION})+`;
const RULES = String.raw`rule \d+|rules \d+(?:(?:, | and |, and | to )\d+)+`;
/** `contract runs-api`, `contract runs-api, section 5`, `contract runs-api, section 5, rules 2 to 6`. */
const CITATION = new RegExp(
  String.raw`\bcontract ([a-z][a-z0-9]*(?:-[a-z]+)*)(?:, (${SECTIONS})(?:, (${RULES}))?)?(?![\w-])`,
  'g',
);
const FOREIGN = /\bRFC \d+(?:, section [\d.]+\d)?/g;

interface Citation {
  readonly file: string;
  readonly text: string;
  readonly contract: string;
  readonly sections: readonly string[];
  readonly rules: readonly number[];
}

const comments = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules/') && name !== 'contract/citations.spec.ts')
    .map((name) => ({ file: join(folder, name), text: commentsOf(join(ROOT, folder, name)) })),
);

/** The comments of a file, each as one line. */
function commentsOf(path: string): string {
  const found = readFileSync(path, 'utf8').match(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*/g) ?? [];
  return found.map((comment) => comment.replace(/\s*\n\s*\*?\s*/g, ' ')).join('\n');
}

function citationsIn({ file, text }: { file: string; text: string }): readonly Citation[] {
  return [...text.matchAll(CITATION)]
    .filter(([, contract = '', sections]) => sections !== undefined || CONTRACTS.includes(contract))
    .map(([whole, contract = '', sections = '', rules = '']) => ({
      file,
      text: whole,
      contract,
      sections: sections.match(new RegExp(`\\b${SECTION}\\b`, 'g')) ?? [],
      rules: numbersIn(rules),
    }));
}

/** The numbers of a list such as `2, 3 and 5` or `2 to 6`. */
function numbersIn(list: string): readonly number[] {
  const numbers = (list.match(/\d+/g) ?? []).map(Number);
  const [first = 0, last = 0] = numbers;
  return list.includes(' to ') ? Array.from({ length: last - first + 1 }, (_, index) => first + index) : numbers;
}

describe('citations of the contracts in comments', () => {
  const sections = new Map(CONTRACTS.map((name) => [name, sectionsOf(`docs/contracts/${name}.md`)]));
  const citations = comments.flatMap(citationsIn);

  function find(contract: string, section: string): MarkdownSection | undefined {
    return sections.get(contract)?.find(({ anchors }) => anchors.includes(`section-${section}`));
  }

  it('every citation resolves to a heading and a rule of docs/contracts', () => {
    const broken = citations.filter(({ contract, sections: cited, rules }) => {
      const found = cited.map((section) => find(contract, section));
      const isKnown = sections.has(contract) && found.every((section) => section !== undefined);
      return !isKnown || rules.some((rule) => found.at(-1)?.rules.has(rule) !== true);
    });
    expect(citations.length).toBeGreaterThan(100);
    expect(broken.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  });

  it('all citations are written in one form', () => {
    const odd = comments.flatMap(({ file, text }) => {
      const rest = text.replace(CITATION, '').replace(FOREIGN, '');
      const parts =
        rest.match(/\b(?:[Ss]ections?|[Rr]ules?|[Rr]ows?|decision) (?:\d|[A-F]\d{0,2}\b|[a-d]\.\d).{0,20}/g) ?? [];
      const contracts = rest.match(new RegExp(String.raw`contract,? (?:${CONTRACTS.join('|')}).{0,20}`, 'g')) ?? [];
      return [...parts, ...contracts].map((part) => `${file}: ${part}`);
    });
    expect(odd).toEqual([]);
  });

  it('the cited headings have anchors that do not depend on their titles', () => {
    const numbered = [...sections].flatMap(([name, all]) =>
      all.flatMap(({ title, anchors }) => {
        const id = new RegExp(`^(${SECTION})\\.? `).exec(title)?.[1];
        return id === undefined || anchors.includes(`section-${id}`) ? [] : [`${name}: ${title}`];
      }),
    );
    expect(numbered).toEqual([]);
  });
});

describe('pages that comments name', () => {
  it('every page exists', () => {
    const broken = comments.flatMap(({ file, text }) =>
      [...text.matchAll(/\bdocs\/[\w./-]+\.md(?:#[\w-]+)?/g)].flatMap(([target]) => {
        const problem = brokenLink({ page: 'README.md', target });
        return problem === undefined ? [] : [`${file}: ${target}`];
      }),
    );
    expect(broken).toEqual([]);
  });
});

describe('links of the pages', () => {
  it('every link leads to a page and a heading', () => {
    expect(markdownPages().flatMap((page) => linksOf(page).flatMap((link) => brokenLink(link) ?? []))).toEqual([]);
  });
});
