import type { JSX } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../button.tsx'
import { Notice } from './notice.tsx'
import { Spinner } from './spinner.tsx'

type LoadErrorProps = { message?: string; onRetry: () => unknown }

export function LoadError({ message = 'This could not be loaded.', onRetry }: LoadErrorProps): JSX.Element {
  return (
    <Notice urgent action={<Button onClick={() => void onRetry()}>{t('Try again')}</Button>}>
      {t(message)}
    </Notice>
  )
}

type LoadingOrErrorProps = { failed: boolean; onRetry: () => unknown }

/** Shown in a card until its content is loaded. */
export function LoadingOrError({ failed, onRetry }: LoadingOrErrorProps): JSX.Element {
  return failed ? <LoadError onRetry={onRetry} /> : <Spinner />
}
