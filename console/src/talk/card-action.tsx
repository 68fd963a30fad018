import { type ReactNode, useContext } from 'react';
import { isObject } from '../lib/format.js';
import { type CardNode, textIn } from './card-node.js';
import { SendContext } from './send-context.js';

/**
 * A button of a card. One that opens an address is a link, one that sends a message sends it. Approvals are decided
 * where the conversation asks for them, with the arguments in view.
 */
export function CardAction({ label, action }: { readonly label: string; readonly action: CardNode }): ReactNode {
  const send = useContext(SendContext);
  const payload = isObject(action['payload']) ? action['payload'] : {};
  if (action['type'] === 'open_url') return <CardLink url={textIn(payload['url'])} label={label} />;
  if (action['type'] !== 'send_message') return <span className="badge">{label}</span>;
  const text = textIn(payload['text']) || textIn(payload['message']) || label;
  return (
    <button type="button" onClick={() => send(text)}>
      {label}
    </button>
  );
}

/** A link to another site, in a tab of its own. */
export function CardLink({ url, label }: { readonly url: string; readonly label: string }): ReactNode {
  if (!/^https?:\/\//i.test(url)) return <span>{label}</span>;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {label}
    </a>
  );
}
