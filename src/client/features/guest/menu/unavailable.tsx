import type { JSX } from 'react'
import { t } from '../../../lib/texts/translate.ts'

/** Shown when not even the table can be looked up. Reloads by itself. */
export const Unavailable = (): JSX.Element => (
  <main>
    <h1>{t("We can't reach the restaurant right now")}</h1>
    <p className="offline">
      {t('Please wave to your waiter.')} {t('This page tries again by itself.')}
    </p>
  </main>
)
