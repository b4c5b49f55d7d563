import Globe from 'lucide-react/icons/globe'
import { type JSX, type ReactNode, type RefObject, useEffect, useRef } from 'react'
import type { PageLanguage } from '#contract/guests/visits.ts'
import { t } from '../../lib/texts/translate.ts'

type LanguageSwitchProps = Pick<PageLanguage, 'language' | 'languages'> & {
  /** Whether the page can be opened again now. */
  onChoose: () => boolean
  /** The fields that say which page. */
  children: ReactNode
}

/** A choice opens the page again, so it needs no script. */
export function LanguageSwitch({
  language,
  languages,
  onChoose,
  children,
}: LanguageSwitchProps): JSX.Element {
  const details = useRef<HTMLDetailsElement>(null)
  useCloseWhenLeft(details)
  return (
    <details ref={details} className="languages">
      <summary>
        <Globe aria-hidden size={20} />
        <span className="sr-only">{t('Language')}:</span> <span>{languages[language]}</span>
      </summary>
      <form
        action="/customer"
        onSubmit={(event) => {
          if (!onChoose()) event.preventDefault()
        }}
      >
        {children}
        <strong>{t('Language')}</strong>
        {Object.entries(languages).map(([tag, name]) => (
          <button key={tag} name="lang" value={tag} lang={tag} aria-current={tag === language || undefined}>
            {name}
          </button>
        ))}
      </form>
    </details>
  )
}

function useCloseWhenLeft(details: RefObject<HTMLDetailsElement | null>): void {
  useEffect(() => {
    const element = details.current
    if (!element) return undefined
    const close = (): void => {
      element.open = false
    }
    const closeOnEscape = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape' || !element.open) return
      close()
      element.querySelector('summary')?.focus()
    }
    // Safari moves the focus nowhere when a button is pressed.
    const closeOnLeave = ({ relatedTarget }: FocusEvent): void => {
      if (relatedTarget instanceof Node && !element.contains(relatedTarget)) close()
    }
    // The browser may bring the page back as it was when the choice was made.
    const closeOnReturn = ({ persisted }: PageTransitionEvent): void => {
      if (persisted) close()
    }
    element.addEventListener('keydown', closeOnEscape)
    element.addEventListener('focusout', closeOnLeave)
    addEventListener('pageshow', closeOnReturn)
    return () => {
      element.removeEventListener('keydown', closeOnEscape)
      element.removeEventListener('focusout', closeOnLeave)
      removeEventListener('pageshow', closeOnReturn)
    }
  }, [details])
}
