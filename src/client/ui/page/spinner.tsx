import LoaderCircle from 'lucide-react/icons/loader-circle'
import { type JSX } from 'react'
import { t } from '../../lib/texts/translate.ts'

/** The icon alone, for places that already say in words what is going on. */
export function SpinnerIcon({ size = 24 }: { size?: number }): JSX.Element {
  return <LoaderCircle aria-hidden size={size} className="shrink-0 animate-spin" />
}

export function Spinner(): JSX.Element {
  return (
    <div
      role="status"
      data-loading
      aria-label={t('Loading')}
      className="grid place-items-center p-10 text-text-mute"
    >
      <SpinnerIcon size={40} />
    </div>
  )
}
