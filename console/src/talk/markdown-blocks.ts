/** A part of a text in Markdown. */
export type Block =
  | { readonly type: 'code' | 'paragraph' | 'heading'; readonly text: string }
  | { readonly type: 'list'; readonly ordered: boolean; readonly items: readonly string[] };

const BULLET = /^\s*([-*]|\d+[.)])\s+/;

/** Cuts a text into blocks. An unfinished block of code counts up to the end of the text. */
export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  const pieces = text.split(/^```.*$/m);
  pieces.forEach((piece, index) => {
    if (index % 2 === 1) blocks.push({ type: 'code', text: piece.replace(/^\n|\n$/g, '') });
    else
      blocks.push(
        ...piece
          .split(/\n{2,}/)
          .filter((part) => part.trim() !== '')
          .map(proseBlock),
      );
  });
  return blocks;
}

function proseBlock(part: string): Block {
  const lines = part.split('\n').filter((line) => line.trim() !== '');
  if (lines.every((line) => BULLET.test(line))) {
    return { type: 'list', ordered: /^\s*\d/.test(part), items: lines.map((line) => line.replace(BULLET, '')) };
  }
  const heading = /^#{1,6}\s+(.*)$/.exec(part.trim());
  return heading ? { type: 'heading', text: heading[1] ?? '' } : { type: 'paragraph', text: part.trim() };
}
