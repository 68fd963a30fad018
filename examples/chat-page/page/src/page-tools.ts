/** A tool that runs in this page. */
interface PageTool {
  readonly description: string;
  /** A JSON schema. */
  readonly inputSchema: object;
  /** Returns what the model is told. @throws Error with a message for the model */
  run(input: unknown): unknown;
}

const THEMES = ['light', 'dark'];

/** Sent with every request; the agent may call them like its own. */
export const PAGE_TOOLS: Readonly<Record<string, PageTool>> = {
  set_theme: {
    description: 'Sets the theme of the page that the user is looking at: light or dark.',
    inputSchema: { type: 'object', properties: { theme: { type: 'string', enum: THEMES } }, required: ['theme'] },
    run(input) {
      const { theme } = input as { readonly theme?: string };
      if (theme === undefined || !THEMES.includes(theme)) throw new Error(`The theme is one of ${THEMES.join(', ')}.`);
      localStorage.setItem('theme', theme);
      showSavedTheme();
      return `The page is ${theme} now.`;
    },
  },
};

/** Shows the page in the theme that was set last; without one the system's is shown. */
export function showSavedTheme(): void {
  const theme = localStorage.getItem('theme');
  if (theme !== null) document.documentElement.dataset['theme'] = theme;
}
