const KEY = 'parley.theme';

/** The colour schemes that a person can choose; `system` follows the device. */
export const THEMES = ['system', 'light', 'dark'] as const;
/** A colour scheme. */
export type Theme = (typeof THEMES)[number];

/** The chosen scheme. */
export function theme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((one) => one === stored) ?? 'system';
}

/** Keeps a choice and applies it. */
export function setTheme(chosen: Theme): void {
  localStorage.setItem(KEY, chosen);
  applyTheme();
}

/** Applies the chosen scheme to the page. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme();
}
