import { type ReactNode, useState } from 'react';
import type { SessionMessage } from '../api/types.js';
import { shortTime, time } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { Markdown } from '../talk/markdown.js';
import { Json } from '../ui/json.js';
import { JsonTree } from '../ui/json-tree.js';
import { Picture } from '../ui/picture.js';
import { wordsOf } from './message-words.js';

/** One message: who, when, what, and the whole of it on request. */
export function MessageRow({
  message: { seq, runId, createdAt, message },
}: {
  readonly message: SessionMessage;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { who, kind, tool, text, data, images } = wordsOf(message);
  return (
    <li className={`message ${kind}`} id={`message-${seq}`}>
      <div className="message-head">
        <strong>{who}</strong>
        {tool !== undefined && <code>{tool}</code>}
        <span className="muted" title={time(createdAt)}>
          {shortTime(createdAt)}
        </span>
        {runId !== null && <Link to={hrefOf(['runs', runId])}>Run</Link>}
      </div>
      {images.map((url) => (
        <Picture key={url} url={url} alt="Image of the message" />
      ))}
      {text !== '' && (kind === 'agent' ? <Markdown text={text} /> : <p className="plain">{text}</p>)}
      {data !== undefined && <Json value={data} label={`${who} ${tool ?? ''} ${seq}`} />}
      <details className="message-whole" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>The whole message</summary>
        {isOpen && <JsonTree value={message} label={`Message ${seq}`} />}
      </details>
    </li>
  );
}
