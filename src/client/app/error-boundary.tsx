import { Component, type ReactNode } from 'react'
import { t } from '../lib/texts/translate.ts'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page/page.tsx'

type Props = { children: ReactNode; reload: () => void }

/** When a screen throws, people read a sentence and can reload. */
export class ErrorBoundary extends Component<Props, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError(): { broken: boolean } {
    return { broken: true }
  }

  override render(): ReactNode {
    if (!this.state.broken) return this.props.children
    return (
      <Page theme="light" title={t('This page stopped working')} width="narrow">
        <p role="alert">
          {t(
            'Nothing that was saved is lost. Please reload the page; if it happens again, check the connection and try later.',
          )}
        </p>
        <Button variant="primary" onClick={this.props.reload}>
          {t('Reload')}
        </Button>
      </Page>
    )
  }
}
