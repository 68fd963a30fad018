import { blocksOf } from './markdown-blocks.js';

describe('Markdown', () => {
  it('has headings, paragraphs, lists and code', () => {
    expect(blocksOf('# Title\n\nA text\nof two lines\n\n- one\n- two\n\n1. first\n\n```js\nlet a;\n```\nEnd')).toEqual([
      { type: 'heading', text: 'Title' },
      { type: 'paragraph', text: 'A text\nof two lines' },
      { type: 'list', ordered: false, items: ['one', 'two'] },
      { type: 'list', ordered: true, items: ['first'] },
      { type: 'code', text: 'let a;' },
      { type: 'paragraph', text: 'End' },
    ]);
  });

  it('code that has not ended yet goes on to the end', () => {
    expect(blocksOf('Look:\n```\nlet a')).toEqual([
      { type: 'paragraph', text: 'Look:' },
      { type: 'code', text: 'let a' },
    ]);
  });
});
