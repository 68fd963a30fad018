/** One line of a receipt. */
export interface ErasedKind {
  /** As the server names it. */
  readonly kind: string;
  /** For people. */
  readonly title: string;
  readonly rows: number;
  /** Whether the rows were kept, under a pseudonym. */
  readonly isKept: boolean;
}

/** How the server marks kinds that were kept. */
const KEPT = /Kept$/;

/** Kinds whose names say too little. */
const TITLES: Readonly<Record<string, string>> = {
  attachmentBindings: 'Uses of attachments',
  auditContents: 'Contents in the audit trail',
  keys: 'API keys',
  keysOfOthersKept: 'API keys of others',
  pseudonyms: 'Names in the audit trail',
  runHooks: 'Addresses of push notifications',
};

/** The lines of a receipt: what was removed, then what was kept, each in the order of the server. */
export function erasedKinds(counts: Readonly<Record<string, number>>): readonly ErasedKind[] {
  const kinds = Object.entries(counts).map(([kind, rows]) => ({
    kind,
    title: titleOf(kind),
    rows,
    isKept: KEPT.test(kind),
  }));
  return [...kinds.filter(({ isKept }) => !isKept), ...kinds.filter(({ isKept }) => isKept)];
}

/** Features name kinds of their own: `calendarEvents` is `Calendar events`. */
function titleOf(kind: string): string {
  const words = kind.replace(KEPT, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return TITLES[kind] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
