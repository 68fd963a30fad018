import { type Rule, setting, settings, splitList, text } from '../../config/index.js';

const DIALECTS = ['ag-kit', 'ag-ui', 'bot'] as const;

/** Settings of AG-Kit. */
export class AgKitSettings extends settings('AG-Kit', {
  dialects: setting('AG_KIT_DIALECTS', assignments(...DIALECTS), {
    default: () => ({}),
    unset: 'detected from the request body',
    description:
      'The dialect of `send-message` by agent: `agent=dialect` separated by commas, `*` for all other agents. A dialect is `ag-kit` (`conversationId`), `ag-ui` (`threadId`) or `bot` (`msg`). Without it the request body decides.',
  }),
  errorText: setting('AG_KIT_ERROR_TEXT', text(1000), {
    unset: 'none',
    description:
      'Text that an AG-Kit stream sends before its `error` event, for clients that do not show errors, such as the vendor’s hook.',
  }),
}) {}

/** `name=word` separated by commas, no name twice. */
function assignments<const Words extends readonly string[]>(
  ...words: Words
): Rule<Readonly<Record<string, Words[number]>>> {
  return {
    expectation: `a comma-separated list of name=value, no name twice, each value one of ${words.join(', ')}`,
    parse: (text) => {
      const pairs = splitList(text).map((item) => item.split('=').map((part) => part.trim()));
      const known = pairs.flatMap(([name = '', value, ...more]) => {
        const word = words.find((one) => one === value);
        return name !== '' && word !== undefined && more.length === 0 ? [[name, word] as const] : [];
      });
      const values = new Map<string, Words[number]>(known);
      return pairs.length > 0 && values.size === pairs.length ? Object.fromEntries(values) : undefined;
    },
  };
}
