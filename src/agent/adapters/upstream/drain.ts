/** How long the end of an answer may take after its last event; then the connection is closed. In milliseconds. */
export const DRAIN_MS = 1000;
