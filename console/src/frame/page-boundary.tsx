import { Component, type ReactNode } from 'react';
import { messageOf } from '../lib/format.js';

interface Props {
  readonly children: ReactNode;
}

/** Keeps the frame when a page breaks: it says what is wrong, and the page can be tried again. */
export class PageBoundary extends Component<Props, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="page">
        <p className="notice error row" role="alert">
          This page cannot be shown: {messageOf(error)}
          <button type="button" onClick={() => this.setState({ error: undefined })}>
            Retry
          </button>
          <button type="button" onClick={() => window.location.reload()}>
            Load the console again
          </button>
        </p>
      </div>
    );
  }
}
