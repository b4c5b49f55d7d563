import { type JSX, type ReactNode, useId } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { CopyButton } from '../../ui/copy-button.tsx'

type NewTokenProps = {
  token: string
  /** What it is for. */
  title: string
  /** What whoever has it can do. */
  warning: string
  /** Between the token and the buttons. */
  children?: ReactNode
  /** Beside "Copy Token". */
  actions?: ReactNode
}

/** A token that is shown only this once. */
export function NewToken({ token, title, warning, children, actions }: NewTokenProps): JSX.Element {
  const id = useId()
  return (
    <div
      role="group"
      aria-labelledby={id}
      className="flex flex-col gap-3 rounded-ticket border border-rule-strong bg-plate-2 p-4"
    >
      <p role="status">
        <strong id={id} className="font-semibold">
          {title}
        </strong>{' '}
        {warning}
      </p>
      <code className="wrap-anywhere select-all">{token}</code>
      {children}
      <div className="flex flex-wrap gap-3">
        <CopyButton text={token}>{t('Copy Token')}</CopyButton>
        {actions}
      </div>
    </div>
  )
}
