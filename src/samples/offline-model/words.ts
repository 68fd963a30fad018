const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the and or but if of in on at to for from by with without about into over as is are was were be been am do does did ' +
    'have has had can could will would shall should may might must i me my mine you your yours he she it its we us our they them ' +
    'their this that these those there here what which who whom whose when where why how not no yes please tell give let want ' +
    'need like just also too very so then than all any some each other more most using use used call tool tools function user ' +
    'current now hello hi hey thanks thank one only same such up out off own returns return'
  ).split(' '),
);

/** Verbs that half of all tools begin with: alone they say nothing. */
export const WEAK_WORDS: ReadonlySet<string> = new Set(
  'get set list show mak creat read writ run add updat chang search find fetch send open remov delet check ask new turn put data text value page name'.split(
    ' ',
  ),
);

/** Colour names with what they look like in CSS. */
export const COLOURS: readonly (readonly [RegExp, string])[] = [
  ...'red green blue yellow orange purple pink brown black white gray grey cyan magenta teal gold silver navy lime indigo violet'
    .split(' ')
    .map((name) => [new RegExp(`\\b${name}\\b`, 'i'), name] as const),
  ...(
    [
      ['红', 'red'],
      ['绿', 'green'],
      ['蓝', 'blue'],
      ['黄', 'yellow'],
      ['橙', 'orange'],
      ['紫', 'purple'],
      ['粉', 'pink'],
      ['黑', 'black'],
      ['白', 'white'],
      ['灰', 'gray'],
    ] as const
  ).map(([character, name]) => [new RegExp(`${character}色`), name] as const),
];

/** The first colour that a text names: a hex code as it is, else the CSS name. */
export function colourIn(text: string): string | undefined {
  return /#[0-9a-f]{6}\b|#[0-9a-f]{3}\b/i.exec(text)?.[0] ?? COLOURS.find(([pattern]) => pattern.test(text))?.[1];
}

/** The content words of a text, stemmed; Chinese as pairs of characters. */
export function contentWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const word of splitIdentifiers(text).match(/[\p{L}\d]+/gu) ?? []) {
    const lower = word.toLowerCase();
    if (/\p{Script=Han}/u.test(lower)) pairsOf(lower).forEach((pair) => words.add(pair));
    else if (lower.length > 1 && !STOP_WORDS.has(lower) && !/^\d+$/.test(lower)) words.add(stem(lower));
  }
  if (colourIn(text)) ['color', '颜色'].forEach((word) => words.add(word));
  return words;
}

/** `setColour`, `set_colour` and `set-colour` as separate words. */
export function splitIdentifiers(text: string): string {
  return text.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').replace(/[_\-/.:]+/g, ' ');
}

function stem(word: string): string {
  const american = word.replace(/colour/, 'color');
  if (american.length <= 3) return american;
  return american.replace(/(?:ings?|ed|es|s|e)$/, '');
}

function pairsOf(text: string): readonly string[] {
  const characters = Array.from(text).filter((character) => /\p{Script=Han}/u.test(character));
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}
