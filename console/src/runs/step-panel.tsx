import { type ReactNode, useState } from 'react';
import type { RunDetail, RunRequest, Span, Step, Usage } from '../api/types.js';
import { count, duration, isObject, time } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { JsonTree } from '../ui/json-tree.js';
import { outcomeWord, spanState } from '../ui/outcome.js';
import { Fact } from '../ui/facts.js';
import { AskedPanel } from './asked-panel.js';
import { MessageView } from './message-view.js';

interface Props {
  readonly span: Span;
  readonly spans: readonly Span[];
  readonly run: RunDetail;
  readonly steps: readonly Step[] | undefined;
  readonly request: RunRequest | undefined;
  readonly error: unknown;
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Details of spans that the panel shows at a place of their own. */
const SHOWN_DETAILS: ReadonlySet<string> = new Set(['error', 'status']);

/** A try of a model call after which it was made again. */
interface Retry {
  readonly at: number;
  readonly code: string;
  readonly message: string;
  readonly pauseMs: number;
}

/** What is known of one span: of a model call its request and its answer, of a tool call its arguments and its result. */
export function StepPanel(props: Props): ReactNode {
  const { span, error } = props;
  const { startedAt, endedAt, usage } = span;
  const model = isObject(span.details) ? optionalText(span.details['model']) : undefined;
  const took = endedAt === null ? 'in progress' : duration(Date.parse(endedAt) - Date.parse(startedAt));
  return (
    <div className="step">
      <dl className="facts">
        <Fact name="Outcome">{outcomeWord(spanState(span))}</Fact>
        {model !== undefined && <Fact name="Model">{model}</Fact>}
        <Fact name="Began">{time(startedAt)}</Fact>
        <Fact name="Took">{took}</Fact>
        {usage && <Fact name="Tokens">{tokens(usage)}</Fact>}
        {span.callId !== undefined && (
          <Fact name="Call">
            <code>{span.callId}</code>
          </Fact>
        )}
      </dl>
      <Failures details={span.details} />
      {error ? <ErrorNotice error={error} /> : <Contents {...props} />}
    </div>
  );
}

function Contents({ span, spans, run, steps, request }: Props): ReactNode {
  if (span.kind === 'approval' || span.kind === 'input') return <AskedPanel id={span.interruptId ?? ''} />;
  if (span.kind !== 'model' && span.kind !== 'tool' && span.kind !== 'step') return <Details value={span.details} />;
  if (!steps || !request) return <p className="muted">Loading…</p>;
  const step = steps.find(({ key }) => key === span.id);
  const output = isObject(step?.output) ? step.output : undefined;
  if (span.kind === 'model') return <ModelCall span={span} output={output} run={run} steps={steps} request={request} />;
  if (span.kind === 'step') return <JsonTree value={step?.output} label={`Result of ${span.name}`} />;
  const call = callsIn(steps).find(({ id }) => id === span.callId);
  const approval = spans.find(({ kind, callId }) => kind === 'approval' && callId === span.callId);
  return (
    <>
      <h3>Arguments</h3>
      {call ? (
        <JsonTree value={call.arguments} label={`Arguments of ${span.name}`} />
      ) : (
        <p className="muted">
          The call was asked for in an earlier run
          {run.turn && (
            <>
              : <Link to={hrefOf(['runs', run.turn.id])}>the first of this turn</Link>
            </>
          )}
          .
        </p>
      )}
      {approval && (
        <p>
          Approval: {outcomeWord(spanState(approval))}.{' '}
          <Link to={hrefOf(['runs', run.id], { step: approval.id })}>Show the decision</Link>
        </p>
      )}
      <h3>Result</h3>
      {output ? (
        <JsonTree value={output['output']} label={`Result of ${span.name}`} />
      ) : (
        <p className="muted">{span.endedAt === null ? 'The tool has not answered yet.' : 'There is no result.'}</p>
      )}
    </>
  );
}

interface ModelProps {
  readonly span: Span;
  readonly output: Record<string, unknown> | undefined;
  readonly run: RunDetail;
  readonly steps: readonly Step[];
  readonly request: RunRequest;
}

function ModelCall({ span, output, run, steps, request }: ModelProps): ReactNode {
  const before = steps.slice(
    0,
    steps.findIndex(({ key }) => key === span.id),
  );
  const lastCall = before.findLastIndex(({ key }) => isModel(key));
  const added = lastCall < 0 ? request.input : before.slice(lastCall).map((step) => step.output);
  return (
    <>
      <section className="stack" aria-label={`Request of ${span.name}`}>
        <h3>Request</h3>
        <p className="muted">
          {lastCall < 0 ? 'The messages of this request' : 'The answer before and the results of its calls'}, after{' '}
          <Link to={hrefOf(['sessions', run.sessionId])}>the earlier messages of the session</Link>.
        </p>
        {added.map((one, index) => (
          <MessageView key={index} value={one} label={`Message ${index + 1}`} />
        ))}
        <Recorded value={added} label={`Record of the request of ${span.name}`} />
      </section>
      <section className="stack" aria-label={`Answer of ${span.name}`}>
        <h3>Answer</h3>
        {!output || output['error'] !== undefined ? (
          <p className="muted">{span.endedAt === null ? 'The model has not finished its answer.' : 'There is none.'}</p>
        ) : (
          <>
            <MessageView value={output} label="Answer" />
            <Recorded value={output} label={`Record of ${span.name}`} />
          </>
        )}
      </section>
    </>
  );
}

/** The whole value, for whoever needs it. */
function Recorded({ value, label }: { readonly value: unknown; readonly label: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>As recorded</summary>
      {isOpen && <JsonTree value={value} label={label} />}
    </details>
  );
}

/** Why a span failed, and the tries before. */
function Failures({ details }: { readonly details: unknown }): ReactNode {
  if (!isObject(details)) return null;
  const { error, failure } = details;
  const retries = Array.isArray(details['retries']) ? (details['retries'] as readonly Retry[]) : [];
  return (
    <>
      {retries.length > 0 && (
        <ol className="retries" aria-label="Tries that failed">
          {retries.map(({ at, code, message, pauseMs }, index) => (
            <li key={at}>
              Try {index + 1} failed {time(at)}: <code>{code}</code> {message}. Made again after {duration(pauseMs)}.
            </li>
          ))}
        </ol>
      )}
      {isObject(error) && (
        <p className="notice error">
          <code>{textOf(error['code'])}</code> {textOf(error['message'])}
          {retries.length > 0 && ` (try ${retries.length + 1})`}
        </p>
      )}
      {typeof failure === 'string' && <p className="muted">Reason: {failure.replaceAll('_', ' ')}</p>}
    </>
  );
}

function Details({ value }: { readonly value: unknown }): ReactNode {
  const rest = isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => !SHOWN_DETAILS.has(name)))
    : value;
  if (rest === undefined || (isObject(rest) && Object.keys(rest).length === 0)) return null;
  return <JsonTree value={rest} label="Details" />;
}

function tokens({ inputTokens, outputTokens, reasoningTokens, cachedTokens }: Usage): string {
  const parts = [`${count(inputTokens)} in`, `${count(outputTokens)} out`];
  if (cachedTokens) parts.push(`${count(cachedTokens)} cached`);
  if (reasoningTokens) parts.push(`${count(reasoningTokens)} for reasoning`);
  return parts.join(', ');
}

function isModel(key: string): boolean {
  return /^(?:[0-9a-f]{16}\/)?model:/.test(key);
}

function callsIn(steps: readonly Step[]): readonly Call[] {
  return steps.flatMap(({ output }) => callsOf(output));
}

function callsOf(output: unknown): readonly Call[] {
  return isObject(output) && Array.isArray(output['toolCalls']) ? (output['toolCalls'] as readonly Call[]) : [];
}

function textOf(value: unknown): string {
  return optionalText(value) ?? '';
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
