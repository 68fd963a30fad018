import { createContext } from 'react';

/** Sends a message in the name of the person, for buttons of cards. */
export const SendContext = createContext<(text: string) => void>(() => undefined);
